"""What `vcompat mcp` offers to an assistant: tools that are commands of vcompat, in a process that reads little."""

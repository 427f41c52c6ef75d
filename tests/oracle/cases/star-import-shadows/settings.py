MODE = "server"

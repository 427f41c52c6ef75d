// Parses shell text with tree-sitter and returns the whole tree as numbers.

const NAMED = 1;
const MISSING = 2;
const ERROR = 4;
const WIDTH = 8;
/** tree-sitter's number of a node that is an error. It is beyond the grammar's types. */
const ERROR_TYPE = 65535;

/** Return the byte, in UTF-8, at which each character (a unit of UTF-16) of `text` starts; null if both are the same. */
function byteOffsets(text) {
  // eslint-disable-next-line no-control-regex
  if (/^[\x00-\x7f]*$/.test(text)) return null;
  const offsets = new Int32Array(text.length + 1);
  let bytes = 0;
  for (let at = 0; at < text.length; at++) {
    offsets[at] = bytes;
    const code = text.charCodeAt(at);
    // Each half of a surrogate pair counts for two of its four bytes.
    bytes += code < 0x80 ? 1 : code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 2 : 3;
  }
  offsets[text.length] = bytes;
  return offsets;
}

export class ShellParser {
  /** `module` is web-tree-sitter, `grammar` the bytes of the grammar of bash, `options` what `Parser.init` takes. */
  static async start(module, grammar, options) {
    await module.Parser.init(options);
    return new ShellParser(module, await module.Language.load(grammar));
  }

  constructor(module, language) {
    this.parser = new module.Parser();
    this.parser.setLanguage(language);
    this.types = [...language.types, "ERROR"];
    this.fields = language.fields.map((name) => name ?? "");
    this.errorType = language.types.length;
  }

  /**
   * Parse `text`. `starts` are the bytes at which its pieces start; `again` is called whenever the parser goes to another
   * piece, and returns whether it has one. `stops` returns whether to stop. Returns types, fields and the numbers of
   * all nodes; undefined if it was stopped.
   */
  parse(text, starts, again, stops) {
    const bytes = byteOffsets(text);
    const byteAt = (index) => (bytes ? bytes[index] : index);
    let piece = 0;
    let readable = true;
    const read = (index) => {
      if (!readable || index >= text.length) return "";
      const found = starts.findLastIndex((start) => start <= byteAt(index));
      if (found !== piece) {
        readable = again(starts[found]);
        piece = found;
      }
      return readable ? text.slice(index, index + 4096) : "";
    };
    let tree;
    try {
      tree = this.parser.parse(read, null, { progressCallback: () => stops() });
    } finally {
      this.parser.reset();
    }
    if (tree === null) return undefined; // Python has None for it, and not for null.
    try {
      return [this.types, this.fields, this.#numbers(tree, byteAt)];
    } finally {
      tree.delete();
    }
  }

  #numbers(tree, byteAt) {
    const numbers = new Int32Array(tree.rootNode.descendantCount * WIDTH);
    const cursor = tree.walk();
    let count = 0;
    for (let ended = false; !ended; ) {
      this.#write(numbers, count++ * WIDTH, cursor, byteAt);
      if (cursor.gotoFirstChild()) continue;
      while (!cursor.gotoNextSibling()) {
        if (!cursor.gotoParent()) {
          ended = true;
          break;
        }
      }
    }
    cursor.delete();
    return numbers.subarray(0, count * WIDTH);
  }

  #write(numbers, at, cursor, byteAt) {
    const node = cursor.currentNode;
    const flags = (node.isNamed ? NAMED : 0) | (node.isMissing ? MISSING : 0) | (node.hasError ? ERROR : 0);
    numbers[at] = node.typeId === ERROR_TYPE ? this.errorType : node.typeId;
    numbers[at + 1] = cursor.currentFieldId;
    numbers[at + 2] = flags;
    numbers[at + 3] = byteAt(node.startIndex);
    numbers[at + 4] = byteAt(node.endIndex);
    numbers[at + 5] = node.startPosition.row;
    numbers[at + 6] = node.endPosition.row;
    numbers[at + 7] = node.childCount;
  }
}

// Regular expressions of rules in JavaScript: those of the language that Python and ECMA 262 share.
//
// Three things differ, and are written out: \s and \S stand for the white space of ASCII, and a dot for
// everything but a line feed. A text fits where the expression matches all of it.

const SPACE = " \\t\\n\\r\\f\\v";
const NO_SPACE = "\\u0000-\\u0008\\u000e-\\u001f\\u0021-\\u{10ffff}";
const known = new Map<string, RegExp>();

/** Whether the whole of a text is like the expression. */
export function fits(text: string, expression: string): boolean {
  let found = known.get(expression);
  if (found === undefined) {
    found = new RegExp(`^(?:${translated(expression)})$`, "u");
    known.set(expression, found);
  }
  return found.test(text);
}

function translated(expression: string): string {
  let inClass = false;
  const tokens = expression.match(/\\.|[\s\S]/gu) ?? [];
  return tokens
    .map((token) => {
      if (token === "[" && !inClass) inClass = true;
      else if (token === "]") inClass = false;
      else if (token === "." && !inClass) return "[^\\n]";
      else if (token === "\\s") return inClass ? SPACE : `[${SPACE}]`;
      else if (token === "\\S") return inClass ? NO_SPACE : `[${NO_SPACE}]`;
      // With the flag u, only signs that mean something may be escaped.
      else if (/^\\[^\w^$\\.*+?()[\]{}|/-]$/u.test(token)) return token.slice(1);
      else if (token === "\\-" && !inClass) return "-";
      return token;
    })
    .join("");
}

// A path as git prints it in diffs: quoted with C escapes when it contains anything unusual. Pure.

const ESCAPES: Record<string, number> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, '\\': 92 }

export function unquoteGitPath(text: string): string {
  if (!/^".*"$/s.test(text)) return text
  const bytes: number[] = []
  const encoder = new TextEncoder()
  for (const [, octal, escaped, plain] of text.slice(1, -1).matchAll(/\\([0-7]{3})|\\(.)|([^\\]+)/gs)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8))
    else if (escaped !== undefined) bytes.push(ESCAPES[escaped] ?? escaped.charCodeAt(0))
    else bytes.push(...encoder.encode(plain))
  }
  return new TextDecoder().decode(new Uint8Array(bytes))
}

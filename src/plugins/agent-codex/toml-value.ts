// Values for Codex's `-c key=value`, which it parses as TOML. Keys are split at every dot, so names that contain one
// (paths) must be inside an inline table. Pure.

export function tomlString(text: string): string {
  // JSON's escapes are valid TOML, except for lone surrogates (not text) and the delete character (unescaped in JSON).
  return JSON.stringify(text.toWellFormed()).replaceAll('\x7f', '\\u007f')
}

export function tomlList(texts: readonly string[]): string {
  return `[${texts.map(tomlString).join(',')}]`
}

/** Entries of an inline table; the values are already TOML. */
export function tomlTable(entries: ReadonlyArray<readonly [key: string, value: string]>): string {
  return `{${entries.map(([key, value]) => `${tomlString(key)}=${value}`).join(',')}}`
}

// Values for Codex's `-c key=value`, which it parses as TOML. Keys are split at every dot, so names that hold one (paths)
// must stand inside an inline table. Pure.

export function tomlString(text: string): string {
  // JSON's escapes are valid TOML, but for half surrogates (no text) and the delete character (unescaped in JSON).
  return JSON.stringify(text.toWellFormed()).replaceAll('\x7f', '\\u007f')
}

export function tomlList(texts: readonly string[]): string {
  return `[${texts.map(tomlString).join(',')}]`
}

/** Entries of an inline table; the values are TOML already. */
export function tomlTable(entries: ReadonlyArray<readonly [key: string, value: string]>): string {
  return `{${entries.map(([key, value]) => `${tomlString(key)}=${value}`).join(',')}}`
}

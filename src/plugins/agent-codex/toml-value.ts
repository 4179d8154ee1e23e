// Values for Codex's `-c key=value`, which it parses as TOML. Keys are split at every dot, so names that contain one
// (paths) must be inside an inline table. Pure.

const LATE_CONTROLS = /[\u007f-\u009f]/g

export function tomlString(text: string): string {
  // JSON's escapes are valid TOML, except for lone surrogates (not text); control characters from DEL on are unescaped in JSON.
  return JSON.stringify(text.toWellFormed()).replace(LATE_CONTROLS, (found) => {
    return `\\u00${found.charCodeAt(0).toString(16)}`
  })
}

export function tomlList(texts: readonly string[]): string {
  return `[${texts.map(tomlString).join(',')}]`
}

/** Entries of an inline table; the values are already TOML. */
export function tomlTable(entries: ReadonlyArray<readonly [key: string, value: string]>): string {
  return `{${entries.map(([key, value]) => `${tomlString(key)}=${value}`).join(',')}}`
}

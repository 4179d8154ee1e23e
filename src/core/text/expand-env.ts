// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders are the subject
// `${NAME}` and `${NAME:-default}` in a text. `$${` stands for a literal `${`. One pass: a value is never expanded again.

export type EnvProblem = { kind: 'unset'; name: string } | { kind: 'malformed'; text: string }

export interface ExpandedText {
  value: string
  problems: EnvProblem[]
}

// Escape, placeholder, or a `${` that is neither.
const PIECE = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}|\$\{[^}]{0,40}\}?/g

export function expandEnv(text: string, env: Readonly<Record<string, string | undefined>>): ExpandedText {
  const problems: EnvProblem[] = []
  const value = text.replace(PIECE, (piece, name: string | undefined, fallback: string | undefined) => {
    if (piece === '$${') return '${'
    if (name === undefined) {
      problems.push({ kind: 'malformed', text: piece })
      return piece
    }
    const found = Object.hasOwn(env, name) ? env[name] : undefined
    // As in a shell, an empty variable takes the default too.
    if (fallback !== undefined) return found || fallback
    if (found === undefined) problems.push({ kind: 'unset', name })
    return found ?? ''
  })
  return { value, problems }
}

/** Does the text use anything from the environment? */
export function namesVariable(text: string): boolean {
  return variableNames(text).length > 0
}

/** The variables it uses, in order. */
export function variableNames(text: string): string[] {
  return [...text.matchAll(PIECE)].flatMap(([, name]) => name ?? [])
}

/** The text that `expandEnv` turns back into this one. */
export function escapeEnv(text: string): string {
  // A function, because `$$` has a special meaning in a replacement string.
  return text.replaceAll('${', () => '$${')
}

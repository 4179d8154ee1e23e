// Takes secrets out of text that is kept as evidence: known values first, then what looks like one.

const PLACE = '[REDACTED]'
/** Shorter values would tear ordinary words apart. */
const SHORTEST_SECRET = 8

const PATTERNS: ReadonlyArray<readonly [pattern: RegExp, replacement: string]> = [
  [/\b((?:Proxy-)?Authorization\s*[:=]\s*)[^\r\n,;]+/gi, `$1${PLACE}`],
  [/\b(Bearer\s+)[A-Za-z0-9._~+/=-]{8,}/g, `$1${PLACE}`],
  [/\b(?:sk|pk|ghp|gho|ghs|github_pat|glpat|xox[bap])[-_][A-Za-z0-9_-]{12,}/g, PLACE],
  [/\bAKIA[0-9A-Z]{16}\b/g, PLACE],
  [
    /(["']?\b[A-Za-z0-9_-]*(?:api[_-]?key|access[_-]?key|private[_-]?key|token|secret|password|passwd)["']?\s*[:=]\s*)(["']?)[^\s"',;}]{4,}\2/gi,
    `$1$2${PLACE}$2`,
  ],
  [/\/\/[^/\s:@]+:[^/\s@]+@/g, `//${PLACE}@`],
]

export function redact(text: string, secrets: readonly string[]): string {
  let clean = text
  const known = secrets.filter((secret) => secret.length >= SHORTEST_SECRET).sort((a, b) => b.length - a.length)
  for (const secret of known) clean = clean.replaceAll(secret, PLACE)
  for (const [pattern, replacement] of PATTERNS) clean = clean.replace(pattern, replacement)
  return clean
}

const SECRET_NAME = /KEY$|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|COOKIE/i

/** The values of an environment that its names call secret. */
export function secretValues(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(env).flatMap(([name, value]) => (SECRET_NAME.test(name) && value ? [value] : []))
}

/** The end of a text is where the cause of a failure stands. */
export function keepEnd(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `[truncated]…${text.slice(-maxLength)}`
}

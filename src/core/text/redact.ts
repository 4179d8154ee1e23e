// Removes secrets from text that is kept or shown: known values first, then everything that looks like one. The only list
// of what a secret looks like. Every quantifier that can backtrack is bounded, so that the time is linear in the text.

export const REDACTED = '[redacted]'
/** Shorter values would tear ordinary words apart. */
const SHORTEST_SECRET = 8

/** Words in a name that mark its value as a secret. */
const NAMES =
  'token|secret|passw(?:or)?d|passphrase|(?:api|access|account|private)[_-]?key|access[_-]?signature|credential|cookie'
/** After `--token` these begin a sentence, not a value. */
const PROSE =
  'is|was|are|has|must|may|can|needs?|requires?|takes?|expects?|and|or|to|for|in|not|flags?|options?|missing'
/** After the name of a file and a colon these begin the system's words about it: `cannot open '/run/secret_key': No such file`. */
const COMPLAINTS =
  'No such|Not? (?:a|an|found|permitted|allowed|set|valid)|Permission denied|Is a directory|File exists|Operation not|Too many|Read-only|command not|does not|cannot|could not|invalid|missing|required|expired|unknown'
const QUOTE = `\\\\{0,4}["']`
/** In JSON within JSON, in quotes, in unclosed quotes, bare. */
const quoted = (q: string) =>
  `\\\\{1,4}${q}(?:[^${q}\\\\]|\\\\[^${q}\\\\]){0,4000}(?:\\\\{0,4}${q})?|${q}(?:[^${q}\\\\]|\\\\.){0,4000}${q}|${q}[^${q}\\r\\n]{0,4000}`
const VALUE = `${quoted('"')}|${quoted("'")}|(?:\\[redacted\\])?[^\\s"',;}\\]]+`
/** Counts and flags under such names are not secrets: `input_tokens: 1500`, `token: null`. */
const NO_SECRET = `(?!${QUOTE}?(?:\\d{1,9}|true|false|null|undefined)(?![\\w.+/=-])|(?:${COMPLAINTS})(?=[,;:.]?(?:\\s|$)))`
/** What an earlier rule has done is done. */
const NOT_YET = `(?!${QUOTE}?\\[redacted\\](?![^\\s"',;}\\]]))`
/** Between the words of a netrc file, also as JSON has them. */
const GAP = '(?:\\s|\\\\[nt]){1,8}'
/** Not within a longer word, so that a long word is tried once, not once per letter. */
const START = '(?<![\\w-])'
/** Unclosed: the user's name and the colon belong to what is kept. */
const CURL_USER = `${START}(curl[^\\r\\n]{1,300}?(?<=[\\s"'])(?:-[A-Za-z]{0,8}[uU]|--(?:proxy-)?user)[\\s=]{0,8}`

const rule = (source: string, flags: string, replacement: string = REDACTED) =>
  [new RegExp(source, `g${flags}`), replacement] as const

type Form = readonly [pattern: RegExp, replacement: string]

const SHAPES: readonly Form[] = [
  // Recognizable by how it begins.
  rule(`${START}[spr]k[-_](?=[A-Za-z_-]{0,200}[0-9])[A-Za-z0-9_-]{12,}`, ''),
  rule(`${START}gh[pousr]_[A-Za-z0-9_]{8,}`, ''),
  rule(`${START}(?:github_pat|npm|hf|gsk|dop_v1|doo_v1|dckr_pat|shpat|whsec|lin_api|sntrys)_[A-Za-z0-9_-]{12,}`, ''),
  rule(`${START}(?:glpat|gloas|gldt|glrt|glcbt|glptt|glft|glagent)-[A-Za-z0-9_.-]{8,}`, ''),
  rule(`${START}(?:xox[abeoprs]|xapp|xai|nvapi|tvly|pypi)-[A-Za-z0-9_-]{8,}`, ''),
  rule(`${START}(?:AKIA|ASIA)[0-9A-Z]{16}(?![0-9A-Za-z])`, ''),
  rule(`${START}AIza[A-Za-z0-9_-]{20,}`, ''),
  rule(`${START}ya29\\.[A-Za-z0-9_.-]{16,}`, ''),
  rule(`${START}SG\\.[A-Za-z0-9_-]{12,100}\\.[A-Za-z0-9_-]{12,}`, ''),
  rule(`${START}eyJ[A-Za-z0-9_-]{6,}\\.[A-Za-z0-9_-]{4,}(?:\\.[A-Za-z0-9_-]*)?`, ''),
  rule(`${START}[0-9]{8,10}:[A-Za-z0-9_-]{34,}`, ''),
  rule('AGE-SECRET-KEY-1[0-9A-Z]{20,}', ''),
]

const FORMS: readonly Form[] = [
  // PEM keys: whole, or truncated at either end.
  rule('-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----[^]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----|$)', ''),
  rule('^[A-Za-z0-9+/=\\s\\\\]*-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----', ''),
  // Headers.
  rule(
    `${START}((?:proxy-)?authorization(?:${QUOTE})?\\s{0,8}[:=]\\s{0,8}(?:${QUOTE})?(?:(?:bearer|basic|token|digest|negotiate)\\s{1,8})?)[^\\s"',;][^\\r\\n"',;]*`,
    'i',
    `$1${REDACTED}`,
  ),
  rule(
    `${START}((?:set-)?cookie(?:${QUOTE})?\\s{0,8}:\\s{0,8}(?:${QUOTE})?)[^\\s"'][^\\r\\n"']*`,
    'i',
    `$1${REDACTED}`,
  ),
  rule(`${START}(bearer\\s{1,8})[A-Za-z0-9._~+/=-]{8,}`, 'i', `$1${REDACTED}`),
  rule(`${START}(basic\\s{1,8})(?=[A-Za-z+/]{0,200}[0-9=])[A-Za-z0-9+/=]{8,}`, 'i', `$1${REDACTED}`),
  // URLs with credentials; `git@` is not a secret.
  rule('(://)(?!git@)[^\\s/:@"\']{0,1000}(?::[^\\s/@"\']{0,1000})?@', '', `$1${REDACTED}@`),
  rule('(hooks\\.slack\\.com/(?:services|workflows)/)[\\w/-]+', 'i', `$1${REDACTED}`),
  rule('(discord(?:app)?\\.com/api/webhooks/)[\\w/-]+', 'i', `$1${REDACTED}`),
  // Names that announce one: `TOKEN=…`, `"password": "…"`, `--api-key …`.
  rule(
    `${START}((?:${QUOTE})?[\\w.-]{0,128}?(?:${NAMES})[\\w-]{0,32}(?:${QUOTE})?\\s{0,8}[:=]\\s{0,8})${NO_SECRET}${NOT_YET}(?:${VALUE})`,
    'i',
    `$1${REDACTED}`,
  ),
  rule(`${START}([A-Z][A-Z0-9_]{0,64}_KEY=)${NOT_YET}(?:${VALUE})`, '', `$1${REDACTED}`),
  rule(
    `${START}(--?[a-z-]{0,64}?(?:${NAMES}|auth)[a-z-]{0,32}[ \\t]{1,8})(?!-|(?:${PROSE})\\b)${NOT_YET}(?:${VALUE})`,
    'i',
    `$1${REDACTED}`,
  ),
  // curl's `-u user:password`, in quotes or bare.
  rule(`${CURL_USER}["'][^\\r\\n:"']{0,200}:)${NOT_YET}[^\\r\\n"']+`, '', `$1${REDACTED}`),
  rule(`${CURL_USER}[^\\s:"']{1,200}:)${NOT_YET}[^\\s"']+`, '', `$1${REDACTED}`),
  // The lines of a netrc file.
  rule(
    `(?:${START}|(?<=\\\\[nt]))((?:machine|login|account)${GAP}[^\\s\\\\]{1,200}${GAP}password${GAP})(?!(?:${PROSE})\\b)${NOT_YET}(?:[^\\s"\\\\]|\\\\[^nrt])+`,
    '',
    `$1${REDACTED}`,
  ),
  ...SHAPES,
]

const KEY_OR_HOOK = [
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----/,
  /hooks\.slack\.com\/(?:services|workflows)\/[\w/-]{8,}/i,
  /discord(?:app)?\.com\/api\/webhooks\/[\w/-]{8,}/i,
]

/** By its form alone: in source text `token = readToken()` is not a secret. */
export function holdsSecret(line: string): boolean {
  return KEY_OR_HOOK.some((pattern) => pattern.test(line)) || SHAPES.some(([pattern]) => line.search(pattern) !== -1)
}

/** `secrets` are values that must not appear, whatever they look like. */
export function redact(text: string, secrets: readonly string[] = []): string {
  let clean = text
  const longest = secrets.filter((secret) => secret.length >= SHORTEST_SECRET).sort((a, b) => b.length - a.length)
  for (const secret of longest) {
    clean = clean.replaceAll(secret, REDACTED)
    // As it appears within JSON.
    const escaped = JSON.stringify(secret).slice(1, -1)
    if (escaped !== secret) clean = clean.replaceAll(escaped, REDACTED)
  }
  for (const [pattern, replacement] of FORMS) clean = clean.replace(pattern, replacement)
  return clean
}

/** The texts within a value, and everything under a name that marks it as a secret. */
export function redactValue(value: unknown, secrets: readonly string[] = []): unknown {
  if (typeof value === 'string') return redact(value, secrets)
  if (Array.isArray(value)) return value.map((item) => redactValue(item, secrets))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      isSecretName(name) && typeof item === 'string' ? REDACTED : redactValue(item, secrets),
    ]),
  )
}

/** Far more than is kept is searched, so that a secret cannot hide behind the cut; the rest is not worth the time. */
const SEARCHED = 4

/** The beginning of a text. */
export function redactStart(text: string, maxLength: number, secrets: readonly string[] = []): string {
  const clean = redact(text.slice(0, maxLength * SEARCHED), secrets)
  return clean.length > maxLength ? `${clean.slice(0, maxLength - 1)}…` : clean
}

/** The end of a text, where the cause of a failure is. */
export function redactEnd(text: string, maxLength: number, secrets: readonly string[] = []): string {
  const clean = redact(text.slice(-maxLength * SEARCHED), secrets)
  return clean.length > maxLength || text.length > maxLength * SEARCHED
    ? `[truncated]…${clean.slice(-maxLength)}`
    : clean
}

const SECRET_NAME = new RegExp(`${NAMES}|KEY$|authorization`, 'i')

export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name)
}

/** The values of an environment whose names mark them as secret. */
export function secretValues(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(env).flatMap(([name, value]) => (isSecretName(name) && value ? [value] : []))
}

// Names in the code, and the phrases of its texts, against the lists at the end of CONTEXT.md.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readFiles, readSources, type SourceFile } from './support/scan-source.ts'

const ROOT = join(import.meta.dirname, '..')
const ON_DISK: readonly string[] = ['told', 'setAside']

describe('CONTEXT.md', () => {
  const denied = deniedWords()
  const files = readSources(join(ROOT, 'src'))
  const everywhere = [...named('src', files), ...named('web/src', readSources(join(ROOT, 'web/src')))]
  const tests = [
    ...named(
      'src',
      readFiles(join(ROOT, 'src'), (path) => path.endsWith('.test.ts')),
    ),
    ...named('test', readFiles(join(ROOT, 'test'))),
    ...named('torture', readFiles(join(ROOT, 'torture'))),
  ]

  it('lists the words that no name uses', () => {
    expect(denied.size).toBeGreaterThan(10)
  })

  it('is followed by the name of every file', () => {
    expect(files.map(({ path }) => path).filter((path) => wordsOf(path).some((word) => denied.has(word)))).toEqual([])
  })

  it('is followed by every identifier, in tests too', () => {
    const found = [...named('src', files), ...tests].filter(({ name }) => isDenied(name, denied))
    expect(found.map(({ path, name }) => `${path}: ${name}`)).toEqual([])
  })

  it('calls nothing a place but where a session runs', () => {
    const found = everywhere
      .filter(({ path }) => !ABOUT_PLACES.some((pattern) => pattern.test(path)))
      .filter(
        ({ path, name }) => wordsOf(name).includes('place') && !(name === 'place' && PLACE_ON_DISK.includes(path)),
      )
    expect(found.map(({ path, name }) => `${path}: ${name}`)).toEqual([])
  })

  it('names values after what they hold, in nouns of the trade', () => {
    const found = [...everywhere, ...tests]
      .filter(({ name }) => ['known', 'said', 'asked', 'words'].includes(name))
      .filter(({ path, name }) => !IN_USE.some(([word, pattern]) => word === name && pattern.test(path)))
    expect(found.map(({ path, name }) => `${path}: ${name}`)).toEqual([])
  })

  it('begins no sentence that a person reads with "What is …" or "What was …", unless it asks', () => {
    const page = readSources(join(ROOT, 'web/src'))
    const found = [...files, ...page].flatMap(({ path, code }) =>
      (code.match(/(?:['"`>]|[.;] )What (?:is|was|are|were|has|had|can|cannot|could)\b[^'"`<\n]*/g) ?? [])
        .filter((sentence) => !sentence.includes('?'))
        .map((sentence) => `${path}: ${sentence}`),
    )
    expect(found).toEqual([])
  })

  it('names the subject of a comment instead of "What cannot be …"', () => {
    const negated = /(?:\/\/|\*|[.;:]) What (?:cannot|could not|is not|was not|is no longer|has no)\b.*/g
    const found = [...files, ...readSources(join(ROOT, 'web/src'))].flatMap(({ path, text }) =>
      (text.match(negated) ?? []).map((sentence) => `${path}: ${sentence}`),
    )
    expect(found).toEqual([])
  })

  it('is followed by every comment, message and document', () => {
    const phrases = deniedPhrases()
    expect(phrases.length).toBeGreaterThan(5)
    const texts = [
      ...files,
      ...readSources(join(ROOT, 'web/src')),
      ...DOCUMENTS.map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') })),
    ]
    const found = texts.flatMap(({ path, text }) =>
      phrases.filter((phrase) => new RegExp(`\\b${phrase}\\b`, 'i').test(text)).map((phrase) => `${path}: ${phrase}`),
    )
    expect(found).toEqual([])
  })
})

/** Where code is about places: Docker, ssh, Slurm, pods. Files and identifiers elsewhere use another word. */
const ABOUT_PLACES: readonly RegExp[] = [
  // The keys of a session's card.
  /^src\/core\/board\/lean-card\.ts/,
  /^src\/(?:core|manager|cli\/ao)\/place\//,
  /^src\/plugins\/(?:place|runtime-|open-engine|former-place|registry|check-plugins)/,
  /^src\/(?:plugin|slots\/(?:place|plugin|registry|runtime|far-checkout))\.ts/,
  /^src\/contract\/(?:config|config\/(?:project-)?keys|errors|ids|record(?:-values)?|session|dashboard\/cards)\.ts/,
  // Its name in the configuration, on the command line and in records.
  /^src\/(?:config\/(?:resolve-config|trust\/trust)|lib\/measures|rehearsal\/rehearse|dashboard\/metrics\/count-measures)\.ts/,
  /^src\/cli\/(?:ao\/(?:commands|open-ao|docs\/docs-errors|doctor\/|lists\/status-list|report\/why|session\/move|spawn\/)|print\/session-json)/,
  /^src\/(?:cli\/ao\/attend\/pause|manager\/attend\/(?:pause-agent|(?:pause|resume)-fleet)|store\/fleet-pause)\.ts/,
  // Where a session is launched, observed and removed, and where its gates run.
  /^src\/manager\/(?:consent-items|launch\/|observe\/|remove\/|session-manager|task\/spawn-task|types)/,
  /^src\/lifecycle\/(?:landing\/(?:keep-meaning|restack-session)|loop\/(?:keep-gates|loop-context|run-loop)|tick\/(?:notify-project|tick))\.ts/,
  /^src\/(?:forge\/(?:advance-ci|train\/check-cars)|landing\/checks\/(?:check-store|project-gates|read-changed-checks|run-))/,
  /^src\/core\/(?:boundary\/gh-request|forge\/suggestion-way|landing\/where-gates-run|session\/plan-launch|status\/board-card)\.ts/,
  /^src\/dashboard\/pulls\/suggestions\/open-branch\.ts|^web\/src\/(?:session\/badges|pages\/board\/board-card)\.tsx/,
]

/** The key `place` of an agent's bookmark (a byte offset) and of a car (its number): on users' disks and in answers. */
const PLACE_ON_DISK: readonly string[] = [
  'src/core/agh/machine/bookmark.ts',
  'src/agh/session/adopt/adopt-session.ts',
  'src/agh/session/adopt/keep-bookmark.ts',
  'src/agh/session/adopt/record-last-output.ts',
  'src/contract/dashboard/train.ts',
  'src/landing/train/train-report.ts',
  'src/dashboard/pulls/train-routes.ts',
  'src/cli/ao/landing/land-ls.ts',
  'web/src/pages/train/car-list.tsx',
]

/** Keys on users' disks and in answers, and the words of a command line or of a hash. Only ever remove a line here. */
const IN_USE: ReadonlyArray<readonly [word: string, where: RegExp]> = [
  ['asked', /^src\/agh\/session\/turn\/permission-desk\.ts$/],
  [
    'said',
    /^(?:src\/(?:contract\/dashboard\/train|core\/landing|landing|core\/reactions|cli\/ao\/landing)|web\/src\/pages\/train)/,
  ],
  ['said', /^src\/dashboard\/pulls\/train-routes\.ts$/],
  ['words', /^src\/(?:contract\/dashboard|core\/status\/clip-event)|^web\/src\/pages\/session\/timeline\.tsx$/],
  ['words', /^src\/(?:cli\/completion|lib\/sha256-hex)\.ts$/],
  ['words', /^(?:src\/cli\/print\/select-json|test\/dashboard\/(?:sessions|stream))\.test\.ts$/],
  ['said', /^test\/(?:status-agreement|landing\/(?:base-change|hosted-train|repair-line))\.test\.ts$/],
  ['known', /^src\/plugins\/place\/(?:far-routes|work\/conversation)\.ts$/],
]

/** Every identifier of every file, and the file's own name. */
function named(root: string, files: readonly SourceFile[]): Array<{ path: string; name: string }> {
  return files.flatMap(({ path, bare }) =>
    [...new Set([...(bare.match(/[A-Za-z_$][\w$]*/g) ?? []), path.split('/').at(-1)!])].map((name) => ({
      path: `${root}/${path}`,
      name,
    })),
  )
}

const DOCUMENTS: readonly string[] = [
  'README.md',
  'AGENTS.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => `docs/${path}`),
]

function deniedPhrases(): string[] {
  const [, section = ''] = readFileSync(join(ROOT, 'CONTEXT.md'), 'utf8').split('## Never in a text')
  const [list = ''] = section.split('## Never in a name')
  return [...list.matchAll(/`([a-z ]+)`/g)].map(([, phrase]) => phrase!)
}

function deniedWords(): Set<string> {
  const [, section = ''] = readFileSync(join(ROOT, 'CONTEXT.md'), 'utf8').split('## Never in a name')
  const [, list = ''] = section.split('\n\n').filter((part) => part.trim() !== '')
  return new Set([...list.matchAll(/`(\w+)`/g)].map(([, word]) => word!))
}

function isDenied(name: string, denied: ReadonlySet<string>): boolean {
  if (ON_DISK.includes(name) || /look_?up/i.test(name)) return false
  return wordsOf(name).some((word) => denied.has(word))
}

/** Singular and lower case. */
function wordsOf(name: string): string[] {
  return name
    .split(/(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z]+/)
    .map((word) => word.toLowerCase())
    .flatMap((word) => [word, word.replace(/e?s$/, ''), word.replace(/s$/, '')])
}

// How much a change can break, as a sum that explains itself: seven terms out of 100 in all, each from what ao itself read in git
// and from its gates. Nobody's opinion is part of it, and nothing that a change says about itself. Pure.
//
// An unknown fact counts as much as the worst that it could be: hiding something never makes a change look safer.
import type { FoundText } from '../../contract/pull.ts'
import { pathMatcher } from '../text/match-path.ts'
import { showHidden } from '../text/show-hidden.ts'

/** What git's objects say about a change. */
export interface ChangeSize {
  files: number
  /** Added and deleted. */
  lines: number
  /** Some of the sensitive paths that it changes. */
  sensitive: readonly string[]
  /** How often changes to its files were taken back in the base branch lately; null: unknown. */
  reverts: number | null
}

export interface RiskFacts {
  /** null: not measured for this head. */
  size: ChangeSize | null
  /** Tests, CI configuration and files of gates that it changes; null: unknown. */
  ownChecks: readonly string[] | null
  /** Of the gates on this head. */
  findings: readonly FoundText[]
  /** Live branches that conflict with it; null: the radar has not seen it. */
  conflicts: number | null
}

export interface RiskTerm {
  /** An unknown fact has the most. */
  points: number
  most: number
  text: string
  isUnknown?: true | undefined
}

export interface Risk {
  /** 0 to 100. */
  score: number
  terms: RiskTerm[]
  /** Minutes that reading it probably takes. */
  minutes: number
}

export function judgeRisk(facts: RiskFacts): Risk {
  const size = facts.size && isCounted(facts.size) ? facts.size : null
  const terms = [
    ofSize(size),
    ofSensitive(size),
    ofOwnChecks(facts.ownChecks),
    ofWitness(facts.findings),
    ofCoverage(facts.findings),
    ofConflicts(facts.conflicts),
    ofReverts(size),
  ]
  return {
    score: terms.reduce((sum, { points }) => sum + points, 0),
    terms,
    minutes: size === null ? UNKNOWN_MINUTES : expectedMinutes(size.lines),
  }
}

/** Of a change of unknown size. */
const UNKNOWN_MINUTES = 15

/** Two minutes, and one for every 40 lines; nobody reads for more than an hour. */
export function expectedMinutes(lines: number): number {
  return Math.min(60, 2 + Math.round(lines / 40))
}

function isCounted({ files, lines }: ChangeSize): boolean {
  return isCount(files) && isCount(lines)
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}

function unknown(most: number, text: string): RiskTerm {
  return { points: most, most, text, isUnknown: true }
}

/** A point for every 20 lines up to 18, and one for every three files up to 7. */
function ofSize(size: ChangeSize | null): RiskTerm {
  if (size === null) return unknown(25, 'its size is unknown')
  const { lines, files } = size
  const points = Math.min(18, Math.ceil(lines / 20)) + Math.min(7, Math.ceil(files / 3))
  return { points, most: 25, text: `${count(lines, 'line')} in ${count(files, 'file')}` }
}

function ofSensitive(size: ChangeSize | null): RiskTerm {
  if (size === null) return unknown(20, 'whether it changes sensitive paths is unknown')
  const { sensitive } = size
  if (sensitive.length === 0) return { points: 0, most: 20, text: 'no sensitive paths' }
  return { points: Math.min(20, 10 + 2 * sensitive.length), most: 20, text: `sensitive paths: ${some(sensitive)}` }
}

function ofOwnChecks(paths: readonly string[] | null): RiskTerm {
  if (paths === null) return unknown(10, 'whether it changes its own checks is unknown')
  if (paths.length === 0) return { points: 0, most: 10, text: 'leaves its own checks alone' }
  return { points: Math.min(10, 5 + paths.length), most: 10, text: `changes its own checks: ${some(paths)}` }
}

const WITNESS: Partial<Record<FoundText['verdict'], [number, string]>> = {
  weakened: [20, 'tests are weakened'],
  red: [16, 'its tests fail'],
  unproven: [14, 'its tests pass without it too'],
  none: [10, 'no test is changed with it'],
  witnessed: [0, 'its tests fail without it'],
}

/** The worst that a witness found. */
function ofWitness(findings: readonly FoundText[]): RiskTerm {
  const found = findings
    .flatMap(({ verdict }) => (WITNESS[verdict] ? [WITNESS[verdict]] : []))
    .sort(([a], [b]) => b - a)[0]
  if (!found) return unknown(20, 'no witness says whether its tests prove it')
  return { points: found[0], most: 20, text: found[1] }
}

/** As `core/witness/lines-that-ran.ts` writes it. */
const NEVER_RAN = /^(\d{1,9}) of (\d{1,9})\b/

function ofCoverage(findings: readonly FoundText[]): RiskTerm {
  const found = findings.filter(({ verdict }) => verdict === 'uncovered' || verdict === 'covered')
  if (found.length === 0) return unknown(10, 'no coverage says which of its lines ran')
  const open = found.filter(({ verdict }) => verdict === 'uncovered').map(({ text }) => NEVER_RAN.exec(text))
  if (open.length === 0) return { points: 0, most: 10, text: 'all its lines ran' }
  const shares = open.map((match) => (match ? Math.min(1, Number(match[1]) / Math.max(1, Number(match[2]))) : 1))
  const worst = shares.indexOf(Math.max(...shares))
  const [, never, all] = open[worst] ?? []
  const text = never === undefined ? 'some of its lines never ran' : `${never} of ${all} changed lines never ran`
  return { points: Math.ceil(10 * shares[worst]!), most: 10, text }
}

function ofConflicts(conflicts: number | null): RiskTerm {
  if (!isCount(conflicts)) return unknown(5, 'whether it conflicts with other work is unknown')
  if (conflicts === 0) return { points: 0, most: 5, text: 'no conflict with other work' }
  const text = `conflicts with ${count(conflicts, 'other branch', 'other branches')}`
  return { points: Math.min(5, 2 + conflicts), most: 5, text }
}

function ofReverts(size: ChangeSize | null): RiskTerm {
  if (!isCount(size?.reverts)) return unknown(10, 'whether its files were reverted lately is unknown')
  const { reverts } = size
  if (reverts === 0) return { points: 0, most: 10, text: 'nothing in its files was taken back lately' }
  const text = `changes to its files were taken back ${reverts === 1 ? 'once' : `${reverts} times`} lately`
  return { points: Math.min(10, 2 * Math.ceil(reverts) + 2), most: 10, text }
}

const MOST_NAMED = 3
const LONGEST_PATH = 80

/** Names of files are whatever the change calls them. */
function some(paths: readonly string[]): string {
  const named = paths.slice(0, MOST_NAMED).map((path) => showHidden(path.slice(0, LONGEST_PATH)))
  const more = paths.length - named.length
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

function count(value: number, one: string, several = `${one}s`): string {
  return `${value} ${value === 1 ? one : several}`
}

/** `+12 sensitive paths: infra/main.tf`, the heaviest first; what counts nothing is left out. */
export function riskLines({ terms }: Pick<Risk, 'terms'>): string[] {
  return terms
    .filter(({ points }) => points > 0)
    .sort((a, b) => b.points - a.points)
    .map(({ points, text }) => `+${points} ${text}`)
}

/** In one line: `risk 37 of 100: +20 …; +12 …`. */
export function describeRisk(risk: Pick<Risk, 'score' | 'terms'>): string {
  const lines = riskLines(risk)
  return `risk ${risk.score} of 100${lines.length === 0 ? '' : `: ${lines.join('; ')}`}`
}

/** What breaks more than itself. `review.sensitive` of a project adds to it. */
const SENSITIVE = [
  ...['auth/', 'authentication/', 'authorization/', 'security/', 'crypto/', 'secrets/', 'permissions/', 'acl/'],
  ...['billing/', 'payment/', 'payments/', 'migrations/', 'migrate/', 'schema.prisma', '*.sql', '*.proto'],
  ...['infra/', 'infrastructure/', 'terraform/', '*.tf', 'k8s/', 'kubernetes/', 'helm/', 'deploy/', 'ansible/'],
  ...['dockerfile*', 'docker-compose*', 'compose.y*ml', '.env*', '*.pem', '*.key', 'codeowners', '.npmrc'],
  ...['package-lock.json', 'pnpm-lock.yaml', 'yarn.lock', 'cargo.lock', 'go.sum', 'poetry.lock', 'uv.lock'],
  ...['gemfile.lock', 'composer.lock'],
]

/** `INFRA/` is `infra/` on file systems that do not tell them apart. */
export function sensitivePaths(paths: Iterable<string>, own: readonly string[] = []): string[] {
  const fold = (path: string) => path.normalize('NFC').toLowerCase()
  const isSensitive = pathMatcher([...SENSITIVE, ...own].map(fold))
  const found: string[] = []
  for (const path of paths) {
    if (isSensitive(fold(path))) found.push(path)
    if (found.length === MOST_SENSITIVE) break
  }
  return found
}

/** Further ones change nothing about the sum. */
const MOST_SENSITIVE = 20

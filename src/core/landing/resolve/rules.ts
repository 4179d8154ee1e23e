// `landing.resolve`: which conflicts need no mind, and what is done about each. Pure. The rules are those of the configuration that the
// user agreed to; nothing in the change that is merged adds to them.
import { pathMatcher } from '../../text/match-path.ts'
import { compileSequence, numberIn, type Sequence } from './sequence.ts'

/** As it is written. */
export interface ResolveEntry {
  kind: 'lockfiles' | 'regenerate' | 'union' | 'additions' | 'sequence'
  paths?: string[] | undefined
  run?: string | undefined
  timeout?: number | undefined
  name?: string | undefined
  files?: string | undefined
}

export interface RegenerateRule {
  kind: 'regenerate'
  covers(path: string): boolean
  run: string
  timeoutMs: number
  /** It runs in the file's own directory, and makes that file alone; otherwise at the top, for everything that it covers. */
  isOneFile: boolean
}

export type ResolveRule =
  | RegenerateRule
  | { kind: 'union' | 'additions'; covers(path: string): boolean }
  | { kind: 'sequence'; covers(path: string): boolean; sequence: Sequence }

const DEFAULT_TIMEOUT_S = 600

/** They write the lockfile alone, keep every version that the lockfile has, and run no script of a package where the tool can do without. */
const LOCKFILES: ReadonlyArray<readonly [file: string, run: string]> = [
  ['package-lock.json', 'npm install --package-lock-only --ignore-scripts --no-audit --no-fund'],
  ['npm-shrinkwrap.json', 'npm install --package-lock-only --ignore-scripts --no-audit --no-fund'],
  ['pnpm-lock.yaml', 'pnpm install --lockfile-only --no-frozen-lockfile --ignore-scripts'],
  [
    'yarn.lock',
    'if [ -e .yarnrc.yml ]; then yarn install --mode=update-lockfile; else yarn install --ignore-scripts --non-interactive; fi',
  ],
  ['Cargo.lock', 'cargo update --workspace'],
  ['go.sum', 'go mod tidy'],
  ['poetry.lock', 'if poetry lock --help | grep -q -e --no-update; then poetry lock --no-update; else poetry lock; fi'],
  ['uv.lock', 'uv lock'],
  ['Gemfile.lock', 'bundle lock'],
  ['composer.lock', 'composer update --minimal-changes --no-install --no-scripts --no-plugins'],
]

/** In the order in which they are written: the first one that covers a path counts. */
export function resolveRules(entries: readonly ResolveEntry[]): ResolveRule[] {
  return entries.flatMap(rulesOf)
}

function rulesOf(entry: ResolveEntry): ResolveRule[] {
  const { kind, paths = [], run = '', timeout = DEFAULT_TIMEOUT_S, name = '', files = '' } = entry
  const covers = pathMatcher(paths)
  const timeoutMs = timeout * 1000
  if (kind === 'union' || kind === 'additions') return [{ kind, covers }]
  if (kind === 'regenerate') return [{ kind, covers, run, timeoutMs, isOneFile: false }]
  if (kind === 'lockfiles')
    return LOCKFILES.map(([file, command]) => {
      return { kind: 'regenerate', covers: pathMatcher([file]), run: command, timeoutMs, isOneFile: true }
    })
  const sequence = compileSequence(name, files)
  return sequence === null ? [] : [{ kind, covers: (path) => numberIn(sequence, path) !== null, sequence }]
}

export function sequencesOf(rules: readonly ResolveRule[]): Sequence[] {
  return rules.flatMap((rule) => (rule.kind === 'sequence' ? [rule.sequence] : []))
}

/** A version of a conflicting file. 1: where both started; 2: the base branch's; 3: the change's. */
export interface Stage {
  mode: string
  blob: string
  stage: string
}

export interface ConflictedFile {
  path: string
  stages: readonly Stage[]
}

/** `why`: it needs somebody. */
export type Remedy = Exclude<ResolveRule, { kind: 'sequence' }> | { kind: 'sequence' } | { kind: 'none'; why: string }

const PLAIN_MODES = new Set(['100644', '100755'])

/** Of the file that is made of both: whoever changed it, so that a program stays one. */
export function mergedMode({ stages }: ConflictedFile): string {
  const modeOf = (wanted: string) => stages.find(({ stage }) => stage === wanted)?.mode
  const [common, ours, theirs] = ['1', '2', '3'].map(modeOf)
  return (common !== undefined && ours === common ? theirs : ours)!
}

export function remedyOf(rules: readonly ResolveRule[], { path, stages }: ConflictedFile): Remedy {
  const rule = rules.find(({ covers }) => covers(path))
  if (rule === undefined) return { kind: 'none', why: 'no rule is about it' }
  if (!stages.every(({ mode }) => PLAIN_MODES.has(mode))) return { kind: 'none', why: 'it is not a plain file' }
  const has = (stage: string) => stages.some((one) => one.stage === stage)
  if (!has('2') || !has('3')) return { kind: 'none', why: 'one side removed or renamed it' }
  // Two new files of one name, one behind the other, are no program.
  if (rule.kind === 'additions' && !has('1')) return { kind: 'none', why: 'both sides added it' }
  if (rule.kind !== 'sequence') return rule
  // Both added it. One that was there before and that both changed is no matter of numbers.
  return has('1') ? { kind: 'none', why: 'both sides changed it' } : { kind: 'sequence' }
}

// What the campaigns have proved, kept in results.json: the runs of a campaign on the same code are added up, and a run on code
// that has changed since then is kept as it was, but counts no more. docs/reliability.md has the table that is made of it.
import { upperBound } from './bounds.ts'
import type { CampaignRun, Count } from './campaign.ts'
import { type AllCases, addCases, describeCases } from './cases.ts'
import { numbersOf, rangesOf } from './ranges.ts'
import { CAMPAIGNS, ROWS, type Row } from './rows.ts'

/** The runs of one campaign on one state of its code. */
export interface Kept {
  campaign: string
  /** The hash of the code that it exercises; null: from before hashes were kept. */
  code: string | null
  /** Of the last run. */
  commit: string
  date: string
  kinds: Record<string, Count>
  notes: Record<string, number>
  /** Where all there are can be listed. */
  cases?: AllCases
  /** `3 to 5, 9` */
  seeds: string
  seconds: number
  /** Of CPU; absent: it was not measured. */
  cpuSeconds?: number
  /** Of the busiest run; null: not noted. */
  load: number | null
}

export interface Results {
  /** When the table was made, and the hash of each campaign's code then. */
  commit: string
  date: string
  code: Record<string, string>
  kept: Kept[]
}

/** Where a run happened. */
export type Origin = Pick<Kept, 'commit' | 'date'> & { code: string }

export function addRun(kept: readonly Kept[], run: CampaignRun, { code, commit, date }: Origin): Kept[] {
  const before = kept.find((one) => one.campaign === run.campaign && one.code === code)
  const { campaign, seed, seconds, cpuSeconds, load } = run
  const isMeasured = before === undefined || before.cpuSeconds !== undefined
  const after: Kept = {
    ...{ campaign, code, commit, date },
    kinds: addUp(before?.kinds ?? {}, run.kinds, (a, b) => ({
      tries: a.tries + b.tries,
      broken: a.broken + b.broken,
    })),
    notes: addUp(before?.notes ?? {}, run.notes, (a, b) => a + b),
    ...((before?.cases ?? run.cases) && { cases: addCases(before?.cases ?? {}, run.cases ?? {}) }),
    seeds: rangesOf([...numbersOf(before?.seeds ?? ''), seed]),
    seconds: Math.round(((before?.seconds ?? 0) + seconds) * 10) / 10,
    ...(isMeasured && { cpuSeconds: Math.round(((before?.cpuSeconds ?? 0) + cpuSeconds) * 10) / 10 }),
    load: Math.max(before?.load ?? 0, load),
  }
  const all = [...kept.filter((one) => one !== before), after]
  return all.sort((a, b) => a.campaign.localeCompare(b.campaign) || a.date.localeCompare(b.date))
}

/** What a run that is still being played has added since it was last asked. */
export function addedSince(run: CampaignRun, before: CampaignRun | undefined): CampaignRun {
  if (before === undefined) return run
  return {
    ...run,
    kinds: addUp(
      negative(before.kinds, ({ tries, broken }) => ({ tries: -tries, broken: -broken })),
      run.kinds,
      (a, b) => ({
        tries: a.tries + b.tries,
        broken: a.broken + b.broken,
      }),
    ),
    notes: addUp(
      negative(before.notes, (count) => -count),
      run.notes,
      (a, b) => a + b,
    ),
    seconds: run.seconds - before.seconds,
    cpuSeconds: run.cpuSeconds - before.cpuSeconds,
  }
}

function negative<T>(counts: Record<string, T>, negate: (count: T) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, negate(count)]))
}

function addUp<T>(a: Record<string, T>, b: Record<string, T>, add: (a: T, b: T) => T): Record<string, T> {
  const sum = { ...a }
  for (const [name, value] of Object.entries(b)) sum[name] = sum[name] === undefined ? value : add(sum[name], value)
  return sum
}

/** What counts: the runs on this code. */
export function standingOf(campaign: string, code: string | undefined, kept: readonly Kept[]): Kept | undefined {
  return kept.find((one) => one.campaign === campaign && one.code === code)
}

/** What it was on code that has changed since. */
function expiredOf(campaign: string, code: string | undefined, kept: readonly Kept[]): Kept | undefined {
  return kept.findLast((one) => one.campaign === campaign && one.code !== code)
}

export function countOf({ kind }: Row, kept: Kept | undefined): Count {
  const counted = Object.entries(kept?.kinds ?? {}).filter(([name]) => kind === undefined || name === kind)
  const sum = (of: keyof Count) => counted.reduce((total, [, count]) => total + count[of], 0)
  return { tries: sum('tries'), broken: sum('broken') }
}

const [BEGIN, END] = ['<!-- begin generated table -->', '<!-- end generated table -->']

/** The document with its generated part made anew; a test compares it with the document as it is. */
export function withTable(document: string, results: Results): string {
  const [before, after] = [document.indexOf(BEGIN), document.indexOf(END)]
  if (before < 0 || after < before) throw new Error(`docs/reliability.md has lost the line ${BEGIN} or ${END}`)
  const played = ROWS.filter(({ campaign }) => campaign !== undefined)
  const fixed = ROWS.filter(({ campaign }) => campaign === undefined)
  const lines = [
    `The code of ${describeOrigin(results)}:`,
    '',
    '| fault | broken | the true rate is below |',
    '|---|---:|---:|',
    ...played.map((row) => describeRow(row, results)),
    '',
    'In every test run, always the same way:',
    '',
    ...fixed.map(({ fault, tests = [] }) => `- ${fault}: ${tests.map((file) => `\`${file}\``).join(', ')}`),
  ]
  return `${document.slice(0, before + BEGIN.length)}\n${lines.join('\n')}\n${document.slice(after)}`
}

function describeRow(row: Row, { kept, code }: Results): string {
  const now = code[row.campaign!]
  const standing = standingOf(row.campaign!, now, kept)
  const count = countOf(row, standing)
  if (standing !== undefined && count.tries > 0) {
    const cases = standing.cases ? `, ${describeCases(standing.cases)}` : ''
    return `| ${row.fault} | ${ofTries(count)} ${CAMPAIGNS[row.campaign!]!.tries}${cases} | ${percent(upperBound(count))} |`
  }
  const expired = expiredOf(row.campaign!, now, kept)
  const old = countOf(row, expired)
  if (expired === undefined || old.tries === 0) return `| ${row.fault} | not played yet | |`
  return `| ${row.fault} | expired: ${ofTries(old)} | ${percent(upperBound(old))} |`
}

function ofTries({ broken, tries }: Count): string {
  return `${broken} of ${tries.toLocaleString('en')}`
}

/** Rounded up, since it is a bound. */
export function percent(rate: number): string {
  const digits = rate < 0.001 ? 1_000 : 100
  return `${Math.ceil(rate * 100 * digits - 1e-9) / digits} %`
}

function describeOrigin({ commit, date }: Pick<Kept, 'commit' | 'date'>): string {
  return `${commit.slice(0, 8)}, ${date}`
}

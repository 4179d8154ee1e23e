// The table of one run. Wall time is marked: it is of this machine at this load.
import { type Figures, WALL } from './figures.ts'

const TITLES: ReadonlyArray<[keyof Figures, string]> = [
  ['redCommits', 'red commits of the base branch'],
  ['redMinutes', 'minutes of a red base branch'],
  ['unknownCommits', 'commits whose check did not end'],
  ['landedTwice', 'landed twice'],
  ['landedPerHour', 'landed per hour'],
  ['approvedToLandedP50', 'approved to landed, p50, seconds'],
  ['approvedToLandedP95', 'approved to landed, p95, seconds'],
  ['checksPerLanded', 'runs of CI per landed change'],
  ['personMinutesPerLanded', 'minutes of the person per landed change'],
  ['rebases', 'rebases by agents'],
  ['gaveUp', 'changes whose agent gave up'],
  ['falseStates', 'false states'],
  ['lateStates', 'late states'],
  ['strandedInSilence', 'stranded, and nobody is asked'],
  ['messagesSent', 'messages of ours'],
  ['messagesLost', 'lost'],
  ['messagesDoubled', 'doubled'],
  ['messagesTorn', 'torn'],
  ['strikes', 'kills and reboots'],
  ['repairsByHand', 'repairs by hand'],
]

export function printFigures(adapter: string, world: string, figures: Figures): void {
  console.log(`${adapter}, ${world}: landed ${figures.landed} of ${figures.changes}`)
  for (const [name, title] of TITLES)
    console.log(`  ${title.padEnd(42)} ${String(figures[name] ?? '–').padStart(8)}${WALL.has(name) ? '  wall' : ''}`)
  console.log('')
}

/** Of its own processes, agents left out. */
export function printWeights(adapter: string, { weights }: Figures): void {
  for (const { sessions, cpuSecondsPerHour: cpu, rssMb, requestsPerSessionHour: requests } of weights)
    console.log(
      `${adapter}, ${sessions} waiting: ${cpu} CPU s per hour, ${rssMb} MB, ${requests} requests per session hour`,
    )
}

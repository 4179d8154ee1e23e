// `ao land ls`: the train.

import { EVERYONE } from '../../../core/boundary/rights.ts'
import { idleText } from '../../../core/landing/timing/idle-time.ts'
import { LEFT_WORDS, type Left } from '../../../core/landing/train-state.ts'
import { formatAge, plural } from '../../../core/text/format-age.ts'
import type { RiderReport, TrainReport } from '../../../landing/train/train-report.ts'
import { handMoveText } from '../../../landing/watch/hand-moves.ts'
import { defineCommand, JSON_OPTION, PROJECT_OPTION } from '../../command.ts'
import type { Io } from '../../print/io.ts'
import { toOneLine } from '../../print/plain-text.ts'
import { renderTable } from '../../print/table.ts'
import { printLanding } from './land-after.ts'
import { noteIfIdle, openTrain } from './open-train.ts'

const MOST_PAST = 5

export const landLsCommand = defineCommand({
  name: 'land ls',
  inside: EVERYONE,
  about: 'Show the train: pull requests about to land, those that left and why, and past landings',
  details: 'Of projects with landing: { mode: train }. CAR is its number among those that are tested now.',
  options: { project: PROJECT_OPTION, json: JSON_OPTION },
  json: '{ projectId, mode, paused, halt: { kind, why, until }, obstacle, idle: { since, spent: { testing, empty, paused, frozen, stopped } }, stopped, riders: [{ pull, headSha, state, place, commit, why, eta: { inMs, text }, … }], waiting: [{ pull, title, why }], left: [{ pull, why, … }], landed, past: [{ pull, title, by, commit, at }], moved: [{ from, to, at, isOnRemote, pulls }], flaky, after: [{ commit, pull, at, steps: { name: { state, attempts, at, why } } }] }',
  async run({ options }, io) {
    const train = await openTrain(io, options.project)
    const { where, projectDir, project } = train
    const [{ readTrainReport }, { hostedReport }, { readAfter }] = await Promise.all([
      import('../../../landing/train/train-report.ts'),
      import('../../../landing/hosted/report-hosted.ts'),
      import('../../../landing/after-landing.ts'),
    ])
    const source = where.kind === 'own' ? where.train.report : hostedReport(projectDir)
    const report = readTrainReport(source, projectDir, project)
    const after = readAfter(projectDir)?.landings ?? []
    if (options.json) return void io.json({ ...report, after })
    printReport(report, project.defaultBranch, io)
    if (project.landing?.after) for (const one of after.slice(-MOST_PAST).reverse()) printLanding(one, project, io)
    if (report.mode === 'train') await noteIfIdle(train, io)
  },
})

function printReport(report: TrainReport, branch: string, io: Io): void {
  const { style } = io
  const now = io.clock.now()
  if (report.mode === 'off')
    io.note(
      `${io.noteStyle.yellow('warning:')} ${report.projectId} has no train; turn it on at the project with: landing: { mode: train }`,
    )
  if (report.halt) {
    const since = report.paused ? `, since ${formatAge(new Date(report.paused.at), now)} ago` : ''
    const how = report.halt.kind === 'paused' ? 'ao land resume' : 'ao land resume --during-freeze'
    io.print(style.yellow(`${toOneLine(report.halt.why)}${since}; resume it with: ${how}`))
  }
  if (report.stopped) {
    const { check, base } = report.stopped
    const why = `stopped: the base branch itself fails ${toOneLine(check)} at ${base.slice(0, 10)}`
    io.print(style.red(`${why}; fix it there, or try again with: ao land resume`))
  }
  if (report.obstacle !== null) io.print(style.yellow(`nothing lands: ${toOneLine(report.obstacle)}`))
  if (report.riders.length > 0) io.printLines(renderRiders(report.riders, io, now))
  else if (report.mode !== 'off')
    io.print('The train is empty. Approved, green pull requests board by themselves; add others with: ao land add <pr>')
  for (const { pull, changedChecks } of report.riders.filter((one) => one.changedChecks.length > 0))
    io.print(style.yellow(`  #${pull} changes its own checks: ${toOneLine(changedChecks.join(', '))}`))
  for (const { pull, reused } of report.riders.filter((one) => one.reused.length > 0))
    io.print(style.dim(`  #${pull}: conflicts solved as before in ${toOneLine(reused.join(', '))}`))
  for (const { pull, resolved } of report.riders.filter((one) => one.resolved.length > 0))
    io.print(style.dim(`  #${pull}: conflicts solved by rule: ${toOneLine(resolved.join('; '))}`))
  for (const { pull, why, suspect } of report.riders.filter((one) => one.why !== null))
    io.print(style.yellow(toOneLine(`  #${pull}${suspect === undefined ? ' waits' : ''}: ${why}`)))
  for (const { pull, why } of report.waiting) io.print(style.yellow(`  #${pull} is not aboard: ${why}`))
  for (const left of report.left.slice(-MOST_PAST).reverse()) io.print(style.dim(`  ${departureLine(left, now)}`))
  for (const { pull, commit, at, untested, flaky = [] } of report.landed.slice(-MOST_PAST).reverse()) {
    const twice = flaky.length === 0 ? '' : style.dim(`; passed on the second run: ${toOneLine(flaky.join(', '))}`)
    const doubt = untested === undefined ? twice : style.red(`; never tested as it is: ${toOneLine(untested)}`)
    io.print(`${style.green('landed')} #${pull} as ${commit.slice(0, 10)}, ${formatAge(new Date(at), now)} ago${doubt}`)
  }
  for (const { pull, by, commit, at } of report.past.slice(-MOST_PAST).reverse())
    io.print(
      style.yellow(
        toOneLine(
          `#${pull} was merged past the train by ${by} as ${commit.slice(0, 10)}, ${formatAge(new Date(at), now)} ago`,
        ),
      ),
    )
  for (const move of report.moved.slice(-MOST_PAST).reverse())
    io.print(style.yellow(`${toOneLine(handMoveText(move, branch))}, ${formatAge(new Date(move.at), now)} ago`))
  const idle = idleText(report.idle.spent)
  if (idle !== null) io.print(style.dim(`since ${formatAge(new Date(report.idle.since), now)} ago: ${idle}`))
  if (report.flaky > 0)
    io.print(style.dim(`flaky: ${plural(report.flaky, 'check run')} failed first and passed when run again`))
}

function renderRiders(riders: readonly RiderReport[], { style, width }: Io, now: Date): string[] {
  const paints = { waiting: style.dim, testing: style.yellow, green: style.green, red: style.red }
  return renderTable<RiderReport>(
    [
      { title: 'CAR', text: ({ place }) => (place === null ? '' : String(place)), align: 'right' },
      { title: 'PR', text: ({ pull }) => `#${pull}` },
      { title: 'STATE', text: ({ state }) => state, paint: (text, { state }) => paints[state](text) },
      { title: 'SESSION', text: ({ session }) => session ?? '', drop: 2 },
      { title: 'ABOARD', text: ({ at }) => formatAge(new Date(at), now), align: 'right', drop: 1 },
      { title: 'LANDS', text: ({ eta }) => eta.text, drop: 3 },
      { title: 'TITLE', text: ({ title }) => title, min: 16 },
    ],
    riders,
    { width: width(), paintTitle: style.dim },
  )
}

function departureLine(left: Left, now: Date): string {
  return toOneLine(`#${left.pull} left ${formatAge(new Date(left.at), now)} ago: ${reasonOf(left)}`)
}

function reasonOf({ why, check, commit, ahead = [], said, files = [], onto, partners = [] }: Left): string {
  const cars = (onto?.cars ?? []).map(({ pull }) => `#${pull}`).join(', ')
  if (why === 'refused' && said) return `${LEFT_WORDS.refused} (${said})`
  if (why === 'gone' && said) return said
  if (why === 'unready' && said) return `unready: ${said}`
  if (why === 'stranded') return `it is built on ${cars}, which will not land as it was`
  const named = partners.map((pull) => `#${pull}`).join(', ')
  if (why === 'conflict' && cars === '' && named !== '')
    return `${LEFT_WORDS.conflict}, in lines of ${named} in ${files.join(', ')}`
  if (why === 'conflict' && cars !== '')
    return `it conflicts with ${named || cars} ahead of it in ${files.join(', ')}; asked to rebase onto ${onto?.commit.slice(0, 10)}`
  if (why === 'conflict' && said) return `${LEFT_WORDS.conflict} (${said})`
  if (why !== 'red') return LEFT_WORDS[why]
  const behind = ahead.length > 0 ? `, behind ${ahead.map((one) => `#${one}`).join(', ')}` : ''
  const again = commit === undefined ? '' : `; reproduce it with: git switch --detach ${commit.slice(0, 10)}`
  return `${LEFT_WORDS.red}: ${check}${behind}${again}`
}

// `ao land add|remove|first|pause|resume`: what a person says to the train. `ao start` carries it out.
import { AoError } from '../../../contract/errors.ts'
import { localAuthor } from '../../../inside/local-author.ts'
import { readEnd } from '../../arguments/read-end.ts'
import { defineCommand, JSON_OPTION, PROJECT_OPTION } from '../../command.ts'
import type { Io } from '../../print/io.ts'
import { PULL_ARGUMENT } from '../pr/find-pull.ts'
import { openMerging } from '../pr/open-forge.ts'
import { noteIfIdle, type OpenTrain, openTrain, requireTrain } from './open-train.ts'

export const landAddCommand = defineCommand({
  name: 'land add',
  about: 'Put a pull request aboard the train',
  details:
    'Approved, green pull requests join by themselves. One that you add needs no approval, but its checks still run, together with everything ahead of it.',
  args: { pr: PULL_ARGUMENT },
  options: { project: PROJECT_OPTION, json: JSON_OPTION },
  json: '{ pull, headSha }',
  async run({ args, options }, io) {
    const train = await openTrain(io, options.project)
    requireTrain(train)
    const { pull, headSha } = await board(train, args.pr, io)
    if (options.json) return void io.json({ pull, headSha })
    io.print(`#${pull} is aboard with ${headSha.slice(0, 10)}. Follow it with: ao land ls`)
    await noteIfIdle(train, io)
  },
})

export const landRemoveCommand = defineCommand({
  name: 'land remove',
  about: 'Take a pull request off the train',
  details: 'It does not board again by itself until its head moves.',
  args: { pr: PULL_ARGUMENT },
  options: { project: PROJECT_OPTION, json: JSON_OPTION },
  json: '{ pull }',
  async run({ args, options }, io) {
    const train = await openTrain(io, options.project)
    requireTrain(train)
    const { number, headSha } = await findAboard(train, args.pr)
    train.claim()
    await train.file.append({ type: 'left', pull: number, headSha, why: 'removed' })
    if (options.json) return void io.json({ pull: number })
    io.print(`#${number} is off the train. Put it back with: ao land add ${number}`)
  },
})

async function board(train: OpenTrain, reference: string, io: Io): Promise<{ pull: number; headSha: string }> {
  const [{ findRef }, { boardPull }] = await Promise.all([
    import('../../../manager/pulls/find-pull.ts'),
    import('../../../landing/merge.ts'),
  ])
  const pr = await findRef(train, reference)
  train.claim()
  const { scm, project } = train
  const pull = await boardPull(await openMerging(io, train), { scm, project, pr })
  return { pull: pull.pr.number, headSha: pull.headSha }
}

/** The head it is aboard with, or its own: what was removed does not board again with it. */
async function findAboard(train: OpenTrain, reference: string): Promise<{ number: number; headSha: string }> {
  const { findPull, findRef } = await import('../../../manager/pulls/find-pull.ts')
  const { number } = await findRef(train, reference)
  const rider = train.file.read().riders.find(({ pull }) => pull === number)
  if (number !== undefined && rider) return { number, headSha: rider.headSha }
  if (!train.scm.costsNothing)
    throw new AoError('USAGE', `${reference} is not aboard`, { hint: 'Show who is with: ao land ls' })
  const { pr, headSha } = await findPull(train, reference)
  return { number: pr.number, headSha }
}

export const landFirstCommand = defineCommand({
  name: 'land first',
  about: 'Let a pull request go first',
  details:
    'It comes next, behind cars that are green already: those keep their place, and nothing is tested again. One that is not\naboard is put aboard. Its checks still run.',
  args: { pr: PULL_ARGUMENT },
  options: {
    now: { about: 'Also before cars that are green; they are tested again behind it' },
    project: PROJECT_OPTION,
    json: JSON_OPTION,
  },
  json: '{ pull, headSha, front }',
  async run({ args, options }, io) {
    const train = await openTrain(io, options.project)
    requireTrain(train)
    const { findRef } = await import('../../../manager/pulls/find-pull.ts')
    const { number } = await findRef(train, args.pr)
    const rider = train.file.read().riders.find(({ pull }) => pull === number)
    const { pull, headSha } = rider ?? (await board(train, args.pr, io))
    const front = options.now ? 'now' : 'next'
    train.claim()
    await train.file.append({ type: 'preferred', pull, headSha, by: localAuthor(io.env), front })
    if (options.json) return void io.json({ pull, headSha, front })
    const behind = options.now ? '' : ', behind cars that are green'
    io.print(`#${pull} goes first${behind}. Follow it with: ao land ls`)
    await noteIfIdle(train, io)
  },
})

export const landPauseCommand = defineCommand({
  name: 'land pause',
  about: 'Pause landing until ao land resume',
  options: {
    reason: { value: 'text', about: 'Shown wherever the pause is' },
    until: {
      value: 'time',
      about: 'Go on after 30m, or at 2026-12-01T08:00Z',
    },
    project: PROJECT_OPTION,
    json: JSON_OPTION,
  },
  json: '{ paused, reason?, until? }',
  async run({ options }, io) {
    const until = options.until === undefined ? undefined : readEnd(options.until, io.clock.now()).toISOString()
    const { reason } = options
    await append({ type: 'paused', reason, until }, options.project, io)
    if (options.json) return void io.json({ paused: true, reason, until })
    io.print('The train is paused: nothing lands. Resume it with: ao land resume')
    if (until !== undefined) io.print(`It goes on by itself at ${until}, while ao start is running`)
  },
})

export const landResumeCommand = defineCommand({
  name: 'land resume',
  about: 'Resume landing after a pause or a red base branch',
  options: {
    'during-freeze': {
      about: 'Also lift the present freeze window',
    },
    project: PROJECT_OPTION,
    json: JSON_OPTION,
  },
  json: '{ paused, halt }',
  async run({ options }, io) {
    const { haltOf, thawUntil } = await import('../../../core/landing/timing/halt.ts')
    const opened = await openTrain(io, options.project)
    const windows = opened.project.landing?.freeze ?? []
    const now = io.clock.now().getTime()
    const frozen = () => haltOf({ paused: null, thawed: opened.file.read().thawed }, windows, now)
    const freeze = options['during-freeze'] ? frozen() : null
    const lifted = freeze && thawUntil(freeze, now)
    const thawed = lifted ? new Date(lifted.until).toISOString() : undefined
    const train = await append({ type: 'resumed', thawed }, options.project, io)
    const halt = frozen()
    if (options.json) return void io.json({ paused: false, halt })
    if (lifted?.isGuess)
      io.print(`The freeze is lifted for a day, until ${thawed}: its end is unknown (${freeze?.why})`)
    if (halt) io.print(`The train is no longer paused, but ${halt.why}. Lift that with: ao land resume --during-freeze`)
    else io.print('The train is no longer paused. Follow it with: ao land ls')
    await noteIfIdle(train, io)
  },
})

type Order =
  | { type: 'paused'; reason: string | undefined; until: string | undefined }
  | { type: 'resumed'; thawed: string | undefined }

async function append(order: Order, projectId: string | undefined, io: Io): Promise<OpenTrain> {
  const train = await openTrain(io, projectId)
  requireTrain(train)
  train.claim()
  await train.file.append({ ...order, by: localAuthor(io.env) })
  return train
}

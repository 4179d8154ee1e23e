// `ao land add|remove|pause|resume`: what a person says to the train. `ao start` carries it out.
import { AoError } from '../../../contract/errors.ts'
import { localAuthor } from '../../../forge/pulls/local-author.ts'
import { defineCommand, JSON_OPTION, PROJECT_OPTION } from '../../command.ts'
import type { Io } from '../../io.ts'
import { PULL_ARGUMENT } from '../pr/view.ts'
import { noteIfIdle, type OpenTrain, openTrain, requireTrain } from './open-train.ts'

export const landAddCommand = defineCommand({
  name: 'land add',
  about: 'Put a pull request aboard the train',
  details:
    'Approved, green pull requests join the train automatically. Use this to add one by hand, or one that left: it needs no\napproval, but its checks still run, together with everything ahead of it.',
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

async function board(
  { where, project, projectDir, claim }: OpenTrain,
  reference: string,
  io: Io,
): Promise<{ pull: number; headSha: string }> {
  if (where.kind === 'hosted') {
    const { boardHosted } = await import('../../../landing/hosted/board-hosted.ts')
    const pr = await where.scm.resolvePR(reference, project)
    claim()
    return boardHosted({ project, projectDir, env: io.env, clock: io.clock }, where.scm, { pr })
  }
  const [{ requirePull }, { observePull }, { boardPull }] = await Promise.all([
    import('../../../forge/pulls/find-pull.ts'),
    import('../../../forge/pulls/observe-pulls.ts'),
    import('../../../landing/train/merge-or-board.ts'),
  ])
  const view = await observePull(where.forge, requirePull(where.forge, reference))
  claim()
  const { headSha } = await boardPull(where.forge, view)
  return { pull: view.pull.number, headSha }
}

/** The head it is aboard with, or its own: what was removed does not board again with it. */
async function findAboard(
  { where, file, project }: OpenTrain,
  reference: string,
): Promise<{ number: number; headSha: string }> {
  const { riders } = file.read()
  if (where.kind === 'hosted') {
    const { number } = await where.scm.resolvePR(reference, project)
    const rider = riders.find(({ pull }) => pull === number)
    if (number !== undefined && rider) return { number, headSha: rider.headSha }
    throw new AoError('USAGE', `${reference} is not aboard`, { hint: 'Show who is with: ao land ls' })
  }
  const { requirePull } = await import('../../../forge/pulls/find-pull.ts')
  const { number, headSha } = requirePull(where.forge, reference)
  return { number, headSha: riders.find(({ pull }) => pull === number)?.headSha ?? headSha }
}

const pauseOptions = { project: PROJECT_OPTION, json: JSON_OPTION }

export const landPauseCommand = defineCommand({
  name: 'land pause',
  about: 'Pause landing until ao land resume',
  args: {},
  options: pauseOptions,
  json: '{ paused }',
  async run({ options }, io) {
    await append('paused', options.project, io)
    if (options.json) return void io.json({ paused: true })
    io.print('The train is paused: nothing lands. Resume it with: ao land resume')
  },
})

export const landResumeCommand = defineCommand({
  name: 'land resume',
  about: 'Resume landing after a pause or a red base branch',
  args: {},
  options: pauseOptions,
  json: '{ paused }',
  async run({ options }, io) {
    const train = await append('resumed', options.project, io)
    if (options.json) return void io.json({ paused: false })
    io.print('The train is no longer paused. Follow it with: ao land ls')
    await noteIfIdle(train, io)
  },
})

async function append(type: 'paused' | 'resumed', projectId: string | undefined, io: Io): Promise<OpenTrain> {
  const train = await openTrain(io, projectId)
  requireTrain(train)
  train.claim()
  await train.file.append({ type, by: localAuthor(io.env) })
  return train
}

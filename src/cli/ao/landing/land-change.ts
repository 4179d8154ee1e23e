// `ao land add|remove|pause|resume`: what a person says to the train. `ao start` carries it out.
import { AoError } from '../../../contract/errors.ts'
import { localAuthor } from '../../../inside/local-author.ts'
import { defineCommand, JSON_OPTION, PROJECT_OPTION } from '../../command.ts'
import type { Io } from '../../print/io.ts'
import { PULL_ARGUMENT } from '../pr/find-pull.ts'
import { openMerging } from '../pr/open-forge.ts'
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

const pauseOptions = { project: PROJECT_OPTION, json: JSON_OPTION }

export const landPauseCommand = defineCommand({
  name: 'land pause',
  about: 'Pause landing until ao land resume',
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

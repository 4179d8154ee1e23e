// `ao land add|remove|pause|resume`: what a person says to the train. `ao start` carries it out.
import { localAuthor } from '../../../forge/pulls/local-author.ts'
import { defineCommand, JSON_OPTION, PROJECT_OPTION } from '../../command.ts'
import type { Io } from '../../io.ts'
import { PULL_ARGUMENT } from '../pr/view.ts'
import { openTrain, requireTrain } from './open-train.ts'

export const landAddCommand = defineCommand({
  name: 'land add',
  about: 'Put a pull request aboard the train',
  details:
    'What is approved and green boards by itself. This is for the others, and for one that left: with your word it rides without an\napproval. Its checks run all the same, together with everything ahead of it.',
  args: { pr: PULL_ARGUMENT },
  options: { project: PROJECT_OPTION, json: JSON_OPTION },
  json: '{ pull, headSha }',
  async run({ args, options }, io) {
    const train = await openTrain(io, options.project)
    requireTrain(train)
    const [{ requirePull }, { observePull }, { boardPull }] = await Promise.all([
      import('../../../forge/pulls/find-pull.ts'),
      import('../../../forge/pulls/observe-pulls.ts'),
      import('../../../landing/train/merge-or-board.ts'),
    ])
    const view = await observePull(train.forge, requirePull(train.forge, args.pr))
    const { number } = view.pull
    train.claim()
    const { headSha } = await boardPull(train.forge, view)
    if (options.json) return void io.json({ pull: number, headSha })
    io.print(`#${number} is aboard with ${headSha.slice(0, 10)}; ao land ls shows how far it is`)
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
    const { requirePull } = await import('../../../forge/pulls/find-pull.ts')
    const { number, headSha: recorded } = requirePull(train.forge, args.pr)
    const rider = train.file.read().riders.find(({ pull }) => pull === number)
    train.claim()
    await train.file.append({ type: 'left', pull: number, headSha: rider?.headSha ?? recorded, why: 'removed' })
    if (options.json) return void io.json({ pull: number })
    io.print(`#${number} is off the train; ao land add ${number} puts it aboard again`)
  },
})

const pauseOptions = { project: PROJECT_OPTION, json: JSON_OPTION }

export const landPauseCommand = defineCommand({
  name: 'land pause',
  about: 'Let nothing land until ao land resume',
  args: {},
  options: pauseOptions,
  json: '{ paused }',
  async run({ options }, io) {
    await append('paused', options.project, io)
    if (options.json) return void io.json({ paused: true })
    io.print('The train is paused. Resume it with: ao land resume')
  },
})

export const landResumeCommand = defineCommand({
  name: 'land resume',
  about: 'Let the train continue, after a pause or a stop',
  args: {},
  options: pauseOptions,
  json: '{ paused }',
  async run({ options }, io) {
    await append('resumed', options.project, io)
    if (options.json) return void io.json({ paused: false })
    io.print('The train continues.')
  },
})

async function append(type: 'paused' | 'resumed', projectId: string | undefined, io: Io): Promise<void> {
  const train = await openTrain(io, projectId)
  requireTrain(train)
  train.claim()
  await train.file.append({ type, by: localAuthor(io.env) })
}

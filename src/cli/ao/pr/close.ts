// `ao pr close` and `ao pr reopen`.
import { defineCommand, JSON_OPTION, PROJECT_OPTION } from '../../command.ts'
import { openForge } from './open-forge.ts'
import { PULL_ARGUMENT } from './view.ts'

const OPTIONS = { project: PROJECT_OPTION, json: JSON_OPTION } as const

export const prCloseCommand = defineCommand({
  name: 'pr close',
  about: 'Close a pull request without merging it',
  args: { pr: PULL_ARGUMENT },
  options: OPTIONS,
  json: "{ number, state: 'closed' }",
  async run({ args, options }, io) {
    const { forge } = await openForge(io, options.project)
    const [{ requirePull }, { closePull }] = await Promise.all([
      import('../../../forge/pulls/find-pull.ts'),
      import('../../../forge/pulls/change-pull.ts'),
    ])
    const { number, state } = await closePull(forge, requirePull(forge, args.pr).number)
    if (options.json) return void io.json({ number, state })
    io.print(`closed ${io.style.bold(`#${number}`)}`)
  },
})

export const prReopenCommand = defineCommand({
  name: 'pr reopen',
  about: 'Reopen a pull request',
  args: { pr: PULL_ARGUMENT },
  options: OPTIONS,
  json: "{ number, state: 'open' }",
  async run({ args, options }, io) {
    const { forge } = await openForge(io, options.project)
    const [{ requirePull }, { reopenPull }] = await Promise.all([
      import('../../../forge/pulls/find-pull.ts'),
      import('../../../forge/pulls/change-pull.ts'),
    ])
    const { number, state } = await reopenPull(forge, requirePull(forge, args.pr).number)
    if (options.json) return void io.json({ number, state })
    io.print(`opened ${io.style.bold(`#${number}`)} again`)
  },
})

// `ao pr close`, `ao pr reopen` and `ao pr rerun`.
import { defineCommand, JSON_OPTION, PROJECT_OPTION } from '../../command.ts'
import { openPull, PULL_ARGUMENT } from './find-pull.ts'

const OPTIONS = { project: PROJECT_OPTION, json: JSON_OPTION } as const

export const prCloseCommand = defineCommand({
  name: 'pr close',
  about: 'Close a pull request without merging it',
  args: { pr: PULL_ARGUMENT },
  options: OPTIONS,
  json: "{ number, state: 'closed' }",
  async run({ args, options }, io) {
    const opened = await openPull(io, args.pr, options.project)
    const { requireAbility } = await import('../../../landing/read-pull.ts')
    const close = requireAbility(opened, 'closePR')
    const { number } = opened.pull.pr
    await close(opened.pr, opened.project)
    if (options.json) return void io.json({ number, state: 'closed' })
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
    const opened = await openPull(io, args.pr, options.project)
    const { requireAbility } = await import('../../../landing/read-pull.ts')
    const reopen = requireAbility(opened, 'reopenPR')
    const { number } = opened.pull.pr
    await reopen(opened.pr, opened.project)
    if (options.json) return void io.json({ number, state: 'open' })
    io.print(`opened ${io.style.bold(`#${number}`)} again`)
  },
})

export const prRerunCommand = defineCommand({
  name: 'pr rerun',
  about: 'Run the failed checks of a pull request again',
  args: { pr: PULL_ARGUMENT },
  options: OPTIONS,
  json: '{ number, headSha }',
  async run({ args, options }, io) {
    const opened = await openPull(io, args.pr, options.project)
    const { requireAbility } = await import('../../../landing/read-pull.ts')
    await requireAbility(opened, 'rerunChecks')(opened.pull, opened.project)
    const { headSha, pr } = opened.pull
    if (options.json) return void io.json({ number: pr.number, headSha })
    io.print(`the checks of ${io.style.bold(`#${pr.number}`)} run again on ${headSha.slice(0, 10)}`)
  },
})

// `ao pr diff`: what a pull request would change.
import { defineCommand, PROJECT_OPTION } from '../../command.ts'
import { openForge } from './open-forge.ts'
import { PULL_ARGUMENT } from './view.ts'

export const prDiffCommand = defineCommand({
  name: 'pr diff',
  about: 'Show what a pull request changes',
  args: { pr: PULL_ARGUMENT },
  options: { 'name-only': { about: 'Only the names of the files' }, project: PROJECT_OPTION },
  async run({ args, options }, io) {
    const { forge } = await openForge(io, options.project)
    const { requirePull } = await import('../../../forge/pulls/find-pull.ts')
    const { diffPull } = await import('../../../forge/pulls/diff-pull.ts')
    const format = options['name-only'] ? ['--name-only'] : io.isTerminal ? ['--color=always'] : []
    io.write(await diffPull(forge, requirePull(forge, args.pr), format))
    return 0
  },
})

// `ao pr diff`: what a pull request would change.
import { defineCommand, PROJECT_OPTION } from '../../command.ts'
import { renderDiff } from '../../print/diff.ts'
import { openForge } from './open-forge.ts'
import { PULL_ARGUMENT } from './view.ts'

export const prDiffCommand = defineCommand({
  name: 'pr diff',
  about: 'Show what a pull request changes',
  args: { pr: PULL_ARGUMENT },
  details: 'Control characters in the files are shown as numbers, so that they cannot act on your terminal.',
  options: {
    'name-only': { about: 'Only the names of the files' },
    raw: { about: 'Print the exact bytes, for programs such as git apply' },
    project: PROJECT_OPTION,
  },
  async run({ args, options }, io) {
    const { forge } = await openForge(io, options.project)
    const { requirePull } = await import('../../../forge/pulls/find-pull.ts')
    const { diffPull } = await import('../../../forge/pulls/diff-pull.ts')
    const format = options['name-only'] ? ['--name-only'] : []
    const diff = await diffPull(forge, requirePull(forge, args.pr), format)
    if (options.raw) io.writeRaw(diff)
    else io.write(renderDiff(diff, io.style))
    return 0
  },
})

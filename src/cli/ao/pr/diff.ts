// `ao pr diff`: what a pull request would change.

import { EVERYONE } from '../../../core/boundary/rights.ts'
import { defineCommand, PROJECT_OPTION } from '../../command.ts'
import { renderDiff } from '../../print/diff.ts'
import { noteShown, openPull, PULL_ARGUMENT } from './find-pull.ts'

export const prDiffCommand = defineCommand({
  name: 'pr diff',
  inside: EVERYONE,
  about: 'Show what a pull request changes',
  args: { pr: PULL_ARGUMENT },
  details: 'Control characters are shown as numbers.',
  options: {
    'name-only': { about: 'Only the names of the files' },
    raw: { about: 'Print the exact bytes, for programs such as git apply' },
    project: PROJECT_OPTION,
  },
  async run({ args, options }, io) {
    const opened = await openPull(io, args.pr, options.project)
    const { diffPull } = await import('../../../manager/pulls/diff-pull.ts')
    const format = options['name-only'] ? ['--name-only'] : []
    const { diff, head } = await diffPull(opened, io.env, format)
    if (!options['name-only']) await noteShown(io, opened, head)
    if (options.raw) io.writeRaw(diff)
    else io.write(renderDiff(diff, io.style))
    return 0
  },
})

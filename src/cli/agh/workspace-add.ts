// `agh workspace add`: register a directory under a name.
import { resolve } from 'node:path'
import type { Workspace } from '../../agh/setup/workspaces.ts'
import { defineCommand } from '../command.ts'
import { openAgh } from './open-agh.ts'
import { OUTPUT_OPTIONS, outputFormat, printOne } from './output.ts'
import { workspaceLine } from './workspace-line.ts'

export const workspaceAddCommand = defineCommand({
  program: 'agh',
  name: 'workspace add',
  about: 'Register a directory under a name',
  args: { path: { about: 'Directory', required: true, completes: 'file' } },
  options: {
    name: { short: 'n', value: 'text', about: 'Its name; that of the directory by default' },
    'add-dir': { value: 'path', about: 'Another directory that its sessions may work in', repeatable: true },
    ...OUTPUT_OPTIONS,
  },
  async run({ args, options }, io) {
    const format = outputFormat(options)
    const directories = options['add-dir'].map((path) => resolve(io.cwd, path))
    const body = {
      path: resolve(io.cwd, args.path),
      ...(options.name === undefined ? {} : { name: options.name }),
      ...(directories.length === 0 ? {} : { additional_directories: directories }),
    }
    const answer = await openAgh(io).call<{ workspace: Workspace }>('/api/workspaces', { method: 'POST', body })
    printOne(io, format, answer, () => [workspaceLine(answer.workspace)])
  },
})

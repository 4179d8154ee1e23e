// Commands for registered workspaces.
import { resolve } from 'node:path'
import { EVERYONE } from '../../core/boundary/rights.ts'
import { aghCommand } from './agh-command.ts'
import { workspaceLine } from './lines.ts'

const WORKSPACE_ARGUMENT = { about: 'Its name or id', required: true, completes: 'workspace' } as const

export const workspaceAddCommand = aghCommand({
  name: 'workspace add',
  about: 'Register a directory under a name',
  args: { path: { about: 'Directory', required: true, completes: 'file' } },
  options: {
    name: { short: 'n', value: 'text', about: 'Its name (default: the name of the directory)' },
    'add-dir': { value: 'path', about: 'Another directory that its sessions may work in', repeatable: true },
  },
  async run({ args, options, io, agh, show }) {
    const directories = options['add-dir'].map((path) => resolve(io.cwd, path))
    const body = {
      path: resolve(io.cwd, args.path),
      name: options.name,
      additional_directories: directories.length === 0 ? undefined : directories,
    }
    const answer = await agh.call('POST /api/workspaces', { body })
    show(answer, () => [workspaceLine(answer.workspace)])
  },
})

export const workspaceListCommand = aghCommand({
  name: 'workspace list',
  inside: EVERYONE,
  about: 'List the registered workspaces',
  async run({ io, agh, format, show }) {
    const answer = await agh.call('GET /api/workspaces')
    if (format === 'jsonl') return void io.printLines(answer.workspaces.map((one) => JSON.stringify(one)))
    show(answer, () => answer.workspaces.map(workspaceLine))
  },
})

export const workspaceInfoCommand = aghCommand({
  name: 'workspace info',
  inside: EVERYONE,
  about: 'Show one registered workspace',
  args: { workspace: WORKSPACE_ARGUMENT },
  async run({ args, agh, show }) {
    const answer = await agh.call('GET /api/workspaces/:id', { params: { id: args.workspace } })
    show(answer, () => [workspaceLine(answer.workspace)])
  },
})

export const workspaceRemoveCommand = aghCommand({
  name: 'workspace remove',
  about: 'Forget a workspace; its directory stays',
  args: { workspace: WORKSPACE_ARGUMENT },
  async run({ args, agh, show }) {
    const answer = await agh.call('DELETE /api/workspaces/:id', { params: { id: args.workspace } })
    show(answer, () => [workspaceLine(answer.workspace)])
  },
})

// `agh session new`: start a session of an agent in a workspace.
import { resolve } from 'node:path'
import type { SessionView } from '../../contract/agh/api.ts'
import { PERMISSION_MODES } from '../../contract/agh/words.ts'
import { AoError } from '../../contract/errors.ts'
import { defineCommand } from '../command.ts'
import { openAgh } from './open-agh.ts'
import { OUTPUT_OPTIONS, outputFormat, printOne } from './output.ts'
import { sessionLines } from './session-lines.ts'
import { readSettings, SETTING_OPTIONS } from './session-set.ts'

/** Coordinators and spawned sessions come to be in their own ways. */
const TYPES = ['user', 'dream', 'system'] as const

export const sessionNewCommand = defineCommand({
  program: 'agh',
  name: 'session new',
  about: 'Start a session of an agent in a workspace',
  args: {},
  options: {
    agent: { short: 'a', value: 'name', about: 'Agent; the configured default otherwise' },
    workspace: { short: 'w', value: 'name', about: 'A registered workspace' },
    cwd: { value: 'path', about: 'A directory as workspace; the current one by default' },
    name: { short: 'n', value: 'text', about: 'A name for people' },
    type: { value: 'word', about: `${TYPES.join(', ')} (user)`, completes: TYPES },
    permissions: { value: 'mode', about: PERMISSION_MODES.join(', '), completes: PERMISSION_MODES },
    'add-dir': { value: 'path', about: 'Another directory that the agent may work in', repeatable: true },
    ...SETTING_OPTIONS,
    ...OUTPUT_OPTIONS,
  },
  async run({ options }, io) {
    const format = outputFormat(options)
    const { agent, workspace, cwd, name, type, permissions } = options
    const directories = options['add-dir'].map((path) => resolve(io.cwd, path))
    if (workspace !== undefined && cwd !== undefined) {
      throw new AoError('USAGE', 'Give --workspace or --cwd, not both', { hint: 'See: agh session new --help' })
    }
    const body = {
      ...(agent === undefined ? {} : { agent_name: agent }),
      ...(name === undefined ? {} : { name }),
      ...(type === undefined ? {} : { type }),
      ...(permissions === undefined ? {} : { permissions }),
      ...(directories.length === 0 ? {} : { additional_directories: directories }),
      ...readSettings(options),
      ...(workspace === undefined ? { workspace_path: resolve(io.cwd, cwd ?? '.') } : { workspace }),
    }
    const answer = await openAgh(io).call<{ session: SessionView }>('/api/sessions', { method: 'POST', body })
    printOne(io, format, answer, () => sessionLines(io, answer.session))
  },
})

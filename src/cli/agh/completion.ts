// `agh completion` and `agh __complete`. Tab starts no daemon: sessions come from a running one.
import { readdirSync } from 'node:fs'
import { callDaemon } from '../../agh/client.ts'
import { aghPaths } from '../../agh/paths.ts'
import type { Candidate } from '../complete-words.ts'
import { completeCommandOf, completionCommandOf } from '../completion.ts'
import type { Io } from '../print/io.ts'

export const completionCommand = completionCommandOf(
  'agh',
  'Commands, options, sessions, agents and workspaces are completed.',
)

export const completeCommand = completeCommandOf('agh', lookUpNames)

const TIMEOUT_MS = 1_000

async function lookUpNames(what: string, io: Io): Promise<Candidate[]> {
  const paths = aghPaths(io.env, io.home)
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  try {
    if (what === 'agent') return readdirSync(paths.agents).map((word) => ({ word, about: '' }))
    if (what === 'workspace') {
      const { workspaces } = await callDaemon(paths.socket, 'GET /api/workspaces', { signal })
      return workspaces.map(({ name, path }) => ({ word: name, about: path }))
    }
    const { sessions } = await callDaemon(paths.socket, 'GET /api/sessions', { signal })
    return sessions.map(({ id, name, agent_name, state }) => ({
      word: id,
      about: [name, agent_name, state].filter(Boolean).join(', '),
    }))
  } catch {
    // No daemon, or a busy one: there is nothing to offer, and Tab is no place for an error.
    return []
  }
}

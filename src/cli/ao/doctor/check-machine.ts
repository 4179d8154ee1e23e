// What a new user needs before there is a configuration: an agent, a runtime for it, and the tools of forges.
import { findExecutable } from '../../../lib/find-executable.ts'
import { createLog } from '../../../lib/log.ts'
import { createPluginRegistry } from '../../../plugins/registry.ts'
import type { Finding } from '../../print/findings.ts'
import type { Io } from '../../print/io.ts'

const WITHOUT_A_PROGRAM = ['demo', 'generic']

export async function checkMachine(io: Io): Promise<Finding[]> {
  const { env, home } = io
  const registry = createPluginRegistry({ env, home, log: createLog(env.AO_LOG_LEVEL) })
  const [agents, runtimes] = await Promise.all([registry.detect('agent'), registry.detect('runtime')])
  const tmux = runtimes.find(({ name }) => name === 'tmux')
  return [
    describeAgents(agents.filter(({ name, ok }) => ok && !WITHOUT_A_PROGRAM.includes(name)).map(({ name }) => name)),
    tmux?.ok
      ? { level: 'pass', name: 'tmux', detail: tmux.detail }
      : { level: 'pass', name: 'tmux', detail: 'not installed; agents run without it, under the runtime process' },
    ...(findExecutable('gh', { env }) === null
      ? [{ level: 'pass' as const, name: 'gh', detail: 'not installed; agents need it for repositories on GitHub' }]
      : []),
  ]
}

function describeAgents(found: string[]): Finding {
  if (found.length > 0) return { level: 'pass', name: 'agents', detail: found.join(', ') }
  const fix = 'Install one, for example: npm install --global @anthropic-ai/claude-code'
  return {
    level: 'warn',
    name: 'agents',
    detail: 'none was found but the demo agent, which only shows how ao works',
    fix,
  }
}

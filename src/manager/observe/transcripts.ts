// Where the agent of a session itself keeps what was said, for the search. One that is driven over ACP is read from the log of agh.
import { recordOf } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import type { AgentTranscripts } from '../../slots/agent.ts'
import type { ManagerContext } from '../context.ts'

type Context = Pick<ManagerContext, 'registry' | 'config' | 'clock' | 'store'>

const MOST = 100

export function transcriptsIn({ registry, config, clock, store }: Context) {
  const found = new Map<string, Promise<AgentTranscripts | null>>()
  const of = (agent: string): Promise<AgentTranscripts | null> => {
    const own = found.get(agent) ?? registry.find('agent', agent).then((plugin) => plugin?.transcripts ?? null)
    found.set(agent, own)
    return own
  }
  return {
    of,
    async names(session: Session): Promise<string[]> {
      const { agent = '', place } = recordOf(session)
      const runtime = session.runtimeHandle?.runtimeName
      if (place !== undefined || agent === '') return []
      const [own, driver] = await Promise.all([
        of(agent),
        runtime === undefined ? null : registry.find('runtime', runtime),
      ])
      if (own === null || driver?.drivesAcpAgents) return []
      const stateDir = store(session.projectId).paths.stateDir(session.id)
      const options = { stateDir, now: clock.now(), readyThresholdMs: config.readyThresholdMs }
      return (await own.names(session, options)).filter((name) => name.startsWith('/')).slice(-MOST)
    },
  }
}

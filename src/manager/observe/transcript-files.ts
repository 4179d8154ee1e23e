// Where the agent of a session itself keeps what was said, for the search. One that is driven over ACP is read from the log of agh.
import { recordOf } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import type { ManagerContext } from '../context.ts'

type Context = Pick<ManagerContext, 'registry' | 'config' | 'clock' | 'store'>

/** Text in lines: others could not be read piece by piece. */
const LINES = '.jsonl'
const MOST_FILES = 100

export async function transcriptFiles(context: Context, session: Session): Promise<string[]> {
  const { agent: name = '', place } = recordOf(session)
  const runtime = session.runtimeHandle?.runtimeName
  if (place !== undefined || name === '') return []
  const [agent, driver] = await Promise.all([
    context.registry.find('agent', name),
    runtime === undefined ? null : context.registry.find('runtime', runtime),
  ])
  if (!agent?.conversation || driver?.drivesAcpAgents) return []
  const stateDir = context.store(session.projectId).paths.stateDir(session.id)
  const options = { stateDir, now: context.clock.now(), readyThresholdMs: context.config.readyThresholdMs }
  const files = Object.values(await agent.conversation.files(session, options))
  return files.filter((path) => path.startsWith('/') && path.endsWith(LINES)).slice(-MOST_FILES)
}

// Two flows in one process, as in `ao start`: the answer to a question of an agent, sent to the page's server, and the tick that
// finds CI red and sends its log to the agent. Nothing runs by the clock here; the agent is waited for.
import { readFileSync } from 'node:fs'
import { loadConfig } from '../../src/config/load-config.ts'
import { recordOf } from '../../src/contract/record.ts'
import { recordedPrFacts } from '../../src/core/status/recorded-facts.ts'
import { serveDashboard } from '../../src/dashboard/server/serve-dashboard.ts'
import { silentLog } from '../../src/lib/log.ts'
import { createLoopContext } from '../../src/lifecycle/loop/create-loop.ts'
import { runFiles } from '../../src/lifecycle/loop/run-state.ts'
import { tick } from '../../src/lifecycle/tick/tick.ts'
import { createManagerContext, scmOf } from '../../src/manager/context.ts'
import { managerOf } from '../../src/manager/session-manager.ts'
import { createPluginRegistry } from '../../src/plugins/registry.ts'
import { createObserver } from '../../src/store/observability/observability.ts'
import { waitFor } from '../support/wait-for.ts'
import { recordOperation } from './recorder.ts'

const [configPath, sessionId] = process.argv.slice(2) as [string, string]
const { env } = process
const home = env.HOME!
const log = silentLog
const config = loadConfig({ path: configPath, env, home })
const project = config.projects.app!
const registry = createPluginRegistry({ env, home, log })
await registry.loadBuiltins(config, { lazy: true })
const context = createManagerContext({ config, registry, env, home, log })
const manager = managerOf(context)

await answerOnPage()
await reactToRedCi()
process.exit(0)

async function answerOnPage(): Promise<void> {
  const files = runFiles(context.paths)
  const server = await serveDashboard({ context, manager, loop: null }, { files })
  const [question] = await waitFor('the question', async () => {
    const pending = await manager.pendingPermissions(sessionId)
    return pending.length > 0 && pending
  })
  const response = await fetch(`http://127.0.0.1:${server.port}/api/sessions/${sessionId}/permission`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${readFileSync(files.token, 'utf8').trim()}`,
      'content-type': 'application/json',
      connection: 'close',
    },
    body: JSON.stringify({ requestId: question!.requestId, decision: 'allow-once' }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`the answer was refused: ${text}`)
  await server.close()
}

async function reactToRedCi(): Promise<void> {
  const observer = createObserver({ component: 'lifecycle', paths: context.paths, clock: context.clock, log })
  const notify = async () => undefined
  const loop = createLoopContext({ context, manager, observer, notify, say: () => undefined })
  const tickOnce = () => tick(loop, project.id, { readScreens: true })
  await waitFor('its pull request, and its turn to be over', async () => {
    const [ticked] = await tickOnce()
    const session = await manager.get(sessionId)
    // Read from the forge, too: whether that was done before is not a matter of luck.
    return ticked && recordedPrFacts(recordOf(ticked.session)) && session?.activity === 'ready'
  })
  const scm = await scmOf(context, project)
  await scm!.advance!(project, { signal: AbortSignal.timeout(30_000) })
  const [ticked] = await recordOperation('tick', tickOnce)
  const [decision] = ticked?.decisions ?? []
  if (decision?.condition.key !== 'ci-failed') throw new Error(`the tick decided ${JSON.stringify(ticked)}`)
}

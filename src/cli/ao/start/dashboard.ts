// `ao dashboard`: the running loop's page in the browser; without a loop the page is served from here.

import { openConfig } from '../../../config/load-config-cached.ts'
import { errorText } from '../../../contract/errors.ts'
import { ownOrigin } from '../../../dashboard/access/listen-address.ts'
import { openInBrowser } from '../../../lib/process/open-in-browser.ts'
import { configDigest, loopState, type RunFiles, readRunState, runFiles } from '../../../lifecycle/loop/run-state.ts'
import { createPaths } from '../../../store/paths.ts'
import { type CommandTable, defineCommand, JSON_OPTION } from '../../command.ts'
import { loadTools } from '../../command-table.ts'
import type { Io } from '../../print/io.ts'
import { type Ao, openAo } from '../open-ao.ts'
import { makeLink } from './dashboard-link.ts'

export const dashboardCommand = defineCommand({
  name: 'dashboard',
  about: 'Open the dashboard in the browser',
  details:
    'The link signs this browser in, once, within ten minutes. Without ao start the page is served until Ctrl-C, and nothing watches the sessions.',
  options: { 'no-open': { about: 'Only print the link' }, json: JSON_OPTION },
  json: '{ url, link, port, loopRunning }',
  async run({ options }, io, table) {
    const config = await openConfig(io)
    const files = runFiles(createPaths({ configPath: config.configPath, home: io.home, env: io.env }))
    const state = readRunState(files)
    const how = { json: options.json, open: !options['no-open'] && !options.json }
    if (state === null || loopState(state) === 'dead') return serveHere(files, how, io, table)
    const shown = { url: ownOrigin(config, state.port), link: makeLink(config, state, io), port: state.port }
    await show({ ...shown, loopRunning: true }, how, io)
    return 0
  },
})

interface How {
  json: boolean
  open: boolean
}

async function show(
  shown: { url: string; link: string; port: number; loopRunning: boolean },
  { json, open }: How,
  io: Io,
): Promise<void> {
  if (json) return void io.json(shown)
  io.print(shown.link)
  const isOpened =
    open && io.isTerminal && (await openInBrowser(shown.link, { env: io.env, platform: process.platform }))
  if (!isOpened) io.note('  open it in your browser; it works once, within ten minutes')
}

async function serveHere(files: RunFiles, how: How, io: Io, table: CommandTable): Promise<number> {
  let ao = await openAo(io)
  const [{ serveDashboard }, { trustDigest, untrustedItems }, { watchConfig }] = await Promise.all([
    import('../../../dashboard/server/serve-dashboard.ts'),
    import('../../../config/trust/trust.ts'),
    import('../../../lifecycle/watch/watch-config.ts'),
  ])
  const { configPath } = ao.config
  const repositoryOf = ({ context, manager }: Ao) => ({ context, manager, loop: null })
  const digest = () => configDigest(configPath)
  const served = digest()
  const server = await serveDashboard(repositoryOf(ao), { files, tools: () => loadTools(table) })
  const ended = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => ended.abort())
  const location = { home: io.home, env: io.env }
  const endIfWithdrawn = async () => {
    if (untrustedItems(ao.config, { ...location, kinds: ['listen'] }).length === 0) return
    io.note('  the consent to how it listens was withdrawn')
    ended.abort()
  }
  /** As `ao start` does: a file that is not valid changes nothing, and the page says why. */
  const takeOver = async () => {
    try {
      const changed = await openAo(io)
      await server.use(repositoryOf(changed))
      ao = changed
      server.complain(null)
    } catch (error) {
      server.complain(errorText(error))
    }
  }
  const watches = [
    watchConfig(configPath, endIfWithdrawn, { digest: () => trustDigest(io.home) }),
    watchConfig(configPath, takeOver, { digest, initial: served }),
  ]
  const { origin: url, port } = server
  await show({ url, link: server.link(), port, loopRunning: false }, how, io)
  io.note('  no loop runs, so nothing watches the sessions: ao start; end this with Ctrl-C')
  await new Promise((resolve) => {
    if (ended.signal.aborted) resolve(null)
    ended.signal.addEventListener('abort', resolve, { once: true })
  })
  await Promise.all(watches.map((watch) => watch.close()))
  await server.close()
  return 0
}

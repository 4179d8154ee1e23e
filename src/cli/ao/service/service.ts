// `ao service`: the loop of this configuration as a user service, which the system starts at login.

import { AoError } from '../../../contract/errors.ts'
import { loopState, readRunState } from '../../../lifecycle/loop/run-state.ts'
import { defineCommand, JSON_OPTION } from '../../command.ts'
import type { Io } from '../../print/io.ts'
import { install, isActive, type OpenService, openService, readInstalled, uninstall } from './open-service.ts'

export const serviceInstallCommand = defineCommand({
  name: 'service install',
  about: 'Run the loop of this configuration as a service: systemd on Linux, launchd on macOS',
  details:
    'It starts now and at every login, with this PATH, but not the tokens of your shell: put those into ~/.config/agent-orchestrator/service.env (Linux). Repeat it after ao or node has moved.',
  options: { print: { about: 'Print the file instead; nothing is changed' }, json: JSON_OPTION },
  json: '{ service, manager, file, pid }',
  async run({ options }, io) {
    const service = await openService(io)
    if (options.print) return void io.write(service.text)
    requireLasting(io)
    if (readInstalled(service) === null) requireNoLoop(service)
    const { pid } = await install(service, io)
    const { name, manager, file } = service
    if (options.json) return void io.json({ service: name, manager, file, pid })
    io.print(`installed ${name} (${file}); it is running as process ${pid}`)
    io.print('  what it does: ao logs')
    if (manager === 'systemd') io.print('  To keep it running when you are not logged in: loginctl enable-linger')
  },
})

export const serviceUninstallCommand = defineCommand({
  name: 'service uninstall',
  about: 'Stop the service of this configuration and remove it; sessions keep running',
  options: { json: JSON_OPTION },
  json: '{ service, removed }',
  async run({ options }, io) {
    const service = await openService(io)
    const removed = await uninstall(service, io)
    if (options.json) return void io.json({ service: service.name, removed })
    io.print(removed ? `removed ${service.name}; sessions keep running` : 'no service is installed')
  },
})

export const serviceStatusCommand = defineCommand({
  name: 'service status',
  about: 'Show whether the service of this configuration is installed and running',
  options: { json: JSON_OPTION },
  json: '{ service, manager, file, installed, current, active }',
  async run({ options }, io) {
    const service = await openService(io)
    const text = readInstalled(service)
    const { name, manager, file } = service
    const active = text !== null && (await isActive(service, io))
    const current = text === service.text
    if (options.json) {
      return void io.json({ service: name, manager, file, installed: text !== null, current, active })
    }
    if (text === null) return void io.print('no service is installed; install one with: ao service install')
    io.print(`${name} is ${active ? 'running' : 'not running'} (${file})`)
    if (!active) io.print('  See why with: ao logs')
    if (!current) io.print('  It was written for another ao, node or PATH; renew it with: ao service install')
  },
})

/** A copy in npm's cache may be gone tomorrow. */
function requireLasting(io: Io): void {
  if (!/[/\\]_npx[/\\]/.test(import.meta.url)) return
  throw new AoError('SERVICE_FAILED', 'This ao lies in a cache of npx, which npm empties without a word', {
    hint: 'Install it first: npm install --global ao-fleet',
    details: { home: io.home },
  })
}

function requireNoLoop({ files }: OpenService): void {
  const state = readRunState(files)
  if (state === null || loopState(state) !== 'alive') return
  throw new AoError('ALREADY_RUNNING', `The loop runs already, as process ${state.pid}`, {
    hint: 'Stop it first: ao stop',
    details: { pid: state.pid },
  })
}

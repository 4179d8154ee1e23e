import { describe, expect, it } from 'vitest'
import { describeService, type ServiceRequest } from './service-file.ts'

const request: ServiceRequest = {
  platform: 'linux',
  userHome: '/home/me',
  uid: 501,
  configDir: '/home/me/my app',
  configPath: '/home/me/my app/agent-orchestrator.yaml',
  hash: '0123456789ab',
  command: ['/opt/node/bin/node', '/opt/ao/dist/ao.js'],
  log: '/home/me/.ao/run/0123456789ab.log',
  env: {
    PATH: '/opt/node/bin:/usr/bin',
    HOME: '/home/me',
    GITHUB_TOKEN: 'secret',
    HTTPS_PROXY: 'http://me:word@proxy',
  },
}

describe('the systemd unit', () => {
  const unit = (change: Partial<ServiceRequest> = {}) => describeService({ ...request, ...change })!

  it('runs the loop in the foreground, with the PATH of the installing user', () => {
    expect(unit()).toMatchObject({
      name: 'ao-0123456789ab.service',
      file: '/home/me/.config/systemd/user/ao-0123456789ab.service',
      start: [
        ['systemctl', '--user', 'daemon-reload'],
        ['systemctl', '--user', 'enable', '--now', 'ao-0123456789ab.service'],
      ],
    })
    expect(unit().text).toBe(`# Written by ao service install; ao service uninstall removes it.
[Unit]
Description=ao for /home/me/my app
After=network-online.target

[Service]
Type=exec
ExecStart="/opt/node/bin/node" "/opt/ao/dist/ao.js" "start" "--foreground" "--no-restore" "--config" "/home/me/my app/agent-orchestrator.yaml"
WorkingDirectory=/home/me/my app
Environment="PATH=/opt/node/bin:/usr/bin"
EnvironmentFile=-/home/me/.config/agent-orchestrator/service.env
StandardOutput=append:/home/me/.ao/run/0123456789ab.log
StandardError=append:/home/me/.ao/run/0123456789ab.log
Restart=on-failure
RestartSec=5
# Agents that the loop started keep running without it.
KillMode=process

[Install]
WantedBy=default.target
`)
  })

  it.each(['linux', 'darwin'] as const)('has no secret of the shell in it on %s', (platform) => {
    expect(unit({ platform }).text).not.toMatch(/secret|word/)
  })

  it('takes along where ao keeps its files', () => {
    const { text, file } = unit({ env: { AO_HOME: '/srv/ao', XDG_CONFIG_HOME: '/cfg' } })
    expect(text).toContain('Environment="AO_HOME=/srv/ao"')
    expect(file).toBe('/cfg/systemd/user/ao-0123456789ab.service')
  })

  it('means a strange path letter by letter', () => {
    const configDir = '/a "b" %h $HOME \\n'
    const { text } = unit({ configDir, configPath: `${configDir}/c\nExecStartPre=/bin/evil`, env: { PATH: '/x$y%z' } })
    expect(text).toContain('"--config" "/a \\"b\\" %%h $$HOME \\\\n/c ExecStartPre=/bin/evil"')
    expect(text).toContain('WorkingDirectory=/a "b" %%h $HOME \\n\n')
    expect(text).toContain('Environment="PATH=/x$y%%z"')
    expect(text).not.toMatch(/^ExecStartPre/m)
  })
})

describe('the launchd agent', () => {
  const agent = (change: Partial<ServiceRequest> = {}) =>
    describeService({ ...request, platform: 'darwin', userHome: '/Users/me', ...change })!

  it('lies where launchd looks, and is started for the user', () => {
    expect(agent()).toMatchObject({
      name: 'ao-fleet.0123456789ab',
      file: '/Users/me/Library/LaunchAgents/ao-fleet.0123456789ab.plist',
      start: [['launchctl', 'bootstrap', 'gui/501', '/Users/me/Library/LaunchAgents/ao-fleet.0123456789ab.plist']],
      stop: [['launchctl', 'bootout', 'gui/501/ao-fleet.0123456789ab']],
    })
  })

  it('runs the loop again when it failed, and leaves its agents alone when it ends', () => {
    const { text } = agent()
    expect(text).toContain(`  <key>ProgramArguments</key>
  <array>
    <string>/opt/node/bin/node</string>
    <string>/opt/ao/dist/ao.js</string>
    <string>start</string>
    <string>--foreground</string>
    <string>--no-restore</string>
    <string>--config</string>
    <string>/home/me/my app/agent-orchestrator.yaml</string>
  </array>`)
    expect(text).toContain('  <key>AbandonProcessGroup</key>\n  <true/>')
    expect(text).toContain('    <key>SuccessfulExit</key>\n    <false/>')
  })

  it('means a strange path letter by letter', () => {
    const { text } = agent({ configPath: '/a</string><string>&.yaml' })
    expect(text).toContain('<string>/a&lt;/string&gt;&lt;string&gt;&amp;.yaml</string>')
  })
})

it('other systems have none', () => {
  expect(describeService({ ...request, platform: 'win32' })).toBeNull()
})

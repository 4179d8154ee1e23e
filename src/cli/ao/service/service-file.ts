// The definition for the system's service manager: where the file is, its content, and which programs act on it. Pure, so
// that the text for a system is tested on any other.
import { escapeTags } from '../../../core/text/escape-markup.ts'
export interface ServiceRequest {
  platform: NodeJS.Platform
  /** Where the user's other programs keep their files. */
  userHome: string
  uid: number
  configDir: string
  configPath: string
  /** 12 hex digits that identify the configuration. */
  hash: string
  /** node and the command's file, both absolute. */
  command: readonly string[]
  /** Where `ao logs` reads what the loop says. */
  log: string
  env: NodeJS.ProcessEnv
}

export interface Service {
  /** As the service manager knows it. */
  name: string
  manager: 'systemd' | 'launchd'
  file: string
  text: string
  /** In this order, after the file is written. */
  start: string[][]
  /** Before the file is removed, and after. */
  stop: string[][]
  forget: string[][]
  /** Exits with 0 when it is running. */
  isActive: string[]
}

/** The first line of our files: other programs' files are left alone. */
export const MARK = 'Written by ao service install'

/** What the loop needs to find its files, its programs and the network. No secrets: those go into service.env. */
const PASSED_ON = [
  ...[
    'PATH',
    'LANG',
    'SHELL',
    'AO_HOME',
    'AO_DATA_DIR',
    'AO_GLOBAL_CONFIG',
    'AO_PORT',
    'AO_RECORDING',
    'AGH_HOME',
    'TMUX_TMPDIR',
  ],
  ...['AO_LISTEN', 'AO_TLS_CERT', 'AO_TLS_KEY'],
  ...[
    'XDG_CONFIG_HOME',
    'XDG_DATA_HOME',
    'XDG_CACHE_HOME',
    'NO_PROXY',
    'no_proxy',
    'SSL_CERT_FILE',
    'NODE_EXTRA_CA_CERTS',
  ],
]

/** null: this system has neither of the two service managers. */
export function describeService(request: ServiceRequest): Service | null {
  if (request.platform === 'linux') return systemdService(request)
  if (request.platform === 'darwin') return launchdService(request)
  return null
}

function systemdService(request: ServiceRequest): Service {
  const { configDir, configPath, hash, command, log, userHome, env } = request
  const name = `ao-${hash}.service`
  const userctl = (...args: string[]) => ['systemctl', '--user', ...args]
  const config = env.XDG_CONFIG_HOME || `${userHome}/.config`
  const text = `# ${MARK}; ao service uninstall removes it.
[Unit]
Description=ao for ${oneLine(configDir).replaceAll('%', '%%')}
After=network-online.target

[Service]
Type=exec
ExecStart=${[...command, 'start', '--foreground', '--no-restore', '--config', configPath].map((word) => systemdWord(word).replaceAll('$', '$$$$')).join(' ')}
WorkingDirectory=${oneLine(configDir).replaceAll('%', '%%')}
${passedOn(env)
  .map(([key, value]) => `Environment=${systemdWord(`${key}=${value}`)}`)
  .join('\n')}
EnvironmentFile=-${oneLine(`${config}/agent-orchestrator/service.env`).replaceAll('%', '%%')}
StandardOutput=append:${oneLine(log).replaceAll('%', '%%')}
StandardError=append:${oneLine(log).replaceAll('%', '%%')}
Restart=on-failure
RestartSec=5
# Agents that the loop started keep running without it.
KillMode=process

[Install]
WantedBy=default.target
`
  return {
    name,
    manager: 'systemd',
    file: `${config}/systemd/user/${name}`,
    text,
    start: [userctl('daemon-reload'), userctl('enable', '--now', name)],
    stop: [userctl('disable', '--now', name)],
    forget: [userctl('daemon-reload')],
    isActive: userctl('is-active', '--quiet', name),
  }
}

function launchdService(request: ServiceRequest): Service {
  const { configDir, configPath, hash, command, log, userHome, uid, env } = request
  const name = `ao-fleet.${hash}`
  const file = `${userHome}/Library/LaunchAgents/${name}.plist`
  const argv = [...command, 'start', '--foreground', '--no-restore', '--config', configPath]
  const variables = passedOn(env).map(
    ([key, value]) => `    <key>${escapeTags(key)}</key>\n    <string>${escapeTags(value)}</string>`,
  )
  const text = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- ${MARK}; ao service uninstall removes it. -->
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${name}</string>
  <key>ProgramArguments</key>
  <array>
${argv.map((word) => `    <string>${escapeTags(word)}</string>`).join('\n')}
  </array>
  <key>WorkingDirectory</key>
  <string>${escapeTags(configDir)}</string>
  <key>EnvironmentVariables</key>
  <dict>
${variables.join('\n')}
  </dict>
  <key>StandardOutPath</key>
  <string>${escapeTags(log)}</string>
  <key>StandardErrorPath</key>
  <string>${escapeTags(log)}</string>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ThrottleInterval</key>
  <integer>5</integer>
  <key>AbandonProcessGroup</key>
  <true/>
</dict>
</plist>
`
  const domain = `gui/${uid}`
  return {
    name,
    manager: 'launchd',
    file,
    text,
    start: [['launchctl', 'bootstrap', domain, file]],
    stop: [['launchctl', 'bootout', `${domain}/${name}`]],
    forget: [],
    isActive: ['launchctl', 'print', `${domain}/${name}`],
  }
}

function passedOn(env: NodeJS.ProcessEnv): Array<[string, string]> {
  return PASSED_ON.flatMap((name): Array<[string, string]> => {
    const value = env[name]
    return value ? [[name, value]] : []
  })
}

/** One word of a unit: quoted, with percent signs and backslashes escaped. */
function systemdWord(word: string): string {
  const escaped = oneLine(word).replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%')
  return `"${escaped}"`
}

function oneLine(text: string): string {
  return text.replaceAll(/[\r\n]+/g, ' ')
}

// Machines that can be reached with ssh as places: a directory and a host for each session, and a connection for every eight
// channels (ControlMaster). The user's own ssh and ~/.ssh/config say how.
import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { AoError } from '../../contract/errors.ts'
import { quoteForShell } from '../../core/text/command-line.ts'
import { exec } from '../../lib/exec.ts'
import { withLock } from '../../lib/lock.ts'
import type { Channel, PlaceEngine, PlaceState, StartedPlace } from '../../slots/place.ts'
import { programChannel } from '../place/reach/program-channel.ts'
import { placeKey } from '../place/reach/reach-host.ts'
import { runThere } from '../place/reach/run-there.ts'
import { takeSlot } from './connection-slots.ts'

/** Anything that begins with - would be an option. */
const word = (what: string) => z.string().check(z.regex(/^[^-\s]\S*$/, `must be ${what}`))

export const sshOptions = z.strictObject({
  host: word('the name of a machine, as ssh takes it'),
  port: z.optional(z.int().check(z.minimum(1), z.maximum(65_535))),
  user: z.optional(word('the name of a user')),
  identityFile: z.optional(z.string()),
  /** Instead of ~/.ssh/config. */
  configFile: z.optional(z.string()),
  graceMs: z._default(z.number().check(z.minimum(0, 'must not be negative')), 3_000),
})

export type SshOptions = Omit<z.infer<typeof sshOptions>, 'graceMs'>

/** ssh's own code for failures of the connection. */
const SSH_FAILED = 255
const CONNECT_S = 10

/** A dead machine is noticed by the connection itself, not by every command. */
const ALIVE = ['-o', 'ServerAliveInterval=3', '-o', 'ServerAliveCountMax=3', '-o', `ConnectTimeout=${CONNECT_S}`]

/** Where sessions are, first the usual place. `$1`: the session's directory name. */
const FIND = `for d in "\${HOME:-/tmp}/.ao-place/s" "/tmp/.ao-place-$(id -u)/s"; do`

const PROBE = `${FIND} [ -f "$d/$1/place.json" ] && exit 0; done; exit 9`

const LIST = `${FIND} for f in "$d"/*/place.json; do
  [ -f "$f" ] || continue
  k=\${f%/place.json}; printf '%s ' "\${k##*/}"; cat "$f"; echo
done; done; exit 0`

/** The host first: it ends its agent. What a killed host left is found by its mark. */
const STOP = `${FIND}
  p=$d/$1; [ -d "$p" ] || continue
  id=$(sed -n 's/.*"spawnId":"\\([^"]*\\)".*/\\1/p' "$p/place.json")
  h=$(sed -n 's/:.*//p' "$p/host.id" 2>/dev/null)
  if [ -n "$h" ] && tr '\\0' ' ' <"/proc/$h/cmdline" 2>/dev/null | grep -qF "serve $p"; then
    kill -TERM "$h"; i=0
    while [ -d "/proc/$h" ] && [ $i -lt 50 ]; do sleep 0.1 2>/dev/null || sleep 1; i=$((i+1)); done
    kill -KILL "$h" 2>/dev/null
  fi
  ids=$(printf 'AO_SPAWN_ID=%s\\n' $id $(cat "$p"/gates/*/marker 2>/dev/null | grep -x 'gates-[A-Za-z0-9-]*'))
  if [ -n "$id" ]; then for e in /proc/[0-9]*/environ; do
    tr '\\0' '\\n' <"$e" 2>/dev/null | grep -qxF "$ids" && { e=\${e#/proc/}; kill -KILL "\${e%/environ}" 2>/dev/null; }
  done; fi
  rm -rf "$p"
done; exit 0`

export function sshEngine(
  options: SshOptions,
  env: NodeJS.ProcessEnv,
  home: string,
  connectMs = CONNECT_S * 1000,
): PlaceEngine {
  const target = options.user === undefined ? options.host : `${options.user}@${options.host}`
  const how = [
    ...(options.configFile === undefined ? [] : ['-F', options.configFile.replace(/^~(?=\/)/, env.HOME ?? home)]),
    ...(options.port === undefined ? [] : ['-p', String(options.port)]),
    ...(options.identityFile === undefined ? [] : ['-i', options.identityFile, '-o', 'IdentitiesOnly=yes']),
  ]
  const directory = join(home, '.ao', 'run')
  const name = createHash('sha256')
    .update(JSON.stringify([target, how]))
    .digest('hex')
    .slice(0, 12)
  const socketOf = (connection: number) => join(directory, `ssh-${name}${connection === 0 ? '' : `-${connection}`}`)
  const controlOf = (socket: string) => ['-o', `ControlPath=${socket}`, '-o', 'BatchMode=yes']

  /** Shared by the channels that have a slot of it; whoever needs it first opens it. */
  async function connect(socket: string): Promise<void> {
    if (await isConnected(socket)) return
    await withLock(
      `${socket}.lock`,
      async () => {
        if (await isConnected(socket)) return
        // Opened under a name of its own: where another ssh listens already, as that of a killed command may, ssh would open
        // a connection that nobody can share, which ends never, and say nothing. One that is not renamed ends by itself.
        const own = join(directory, `ssh-${randomBytes(4).toString('hex')}`)
        const keep = ['-o', 'ControlMaster=yes', '-o', 'ControlPersist=120', '-f', '-N']
        const opened = await exec('ssh', [...how, ...controlOf(own), ...ALIVE, ...keep, '--', target], {
          env,
          timeoutMs: (CONNECT_S + 5) * 1000,
        })
        if (!opened.ok)
          throw unreachable(options.host, opened.timedOut ? 'no answer in time' : opened.stderr, opened.startError)
        // In place of what a connection that ended has left there.
        renameSync(own, socket)
      },
      { timeoutMs: 2 * connectMs },
    ).catch((error) => {
      // Whoever holds it tries to connect, one after the other, and in vain.
      if (error instanceof AoError && error.code === 'LOCK_TIMEOUT') throw unreachable(options.host, 'timed out')
      throw error
    })
  }

  async function isConnected(socket: string): Promise<boolean> {
    return (await exec('ssh', [...how, ...controlOf(socket), '-O', 'check', '--', target], { env, timeoutMs: 5_000 }))
      .ok
  }

  async function openChannel(command: readonly string[]): Promise<Channel> {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    const { connection, release } = await takeSlot(directory, `ssh-${name}`)
    try {
      const socket = socketOf(connection)
      await connect(socket)
      // Without `ProxyCommand=false`, a client whose shared connection died opens one of its own and hangs.
      const alone = ['-o', 'ControlMaster=no', '-o', 'ProxyCommand=false', '-T']
      const argv = [...how, ...controlOf(socket), ...alone, '--', target, command.map(quoteForShell).join(' ')]
      const channel = programChannel(['ssh', ...argv], env)
      const ended = channel.ended.then((end) => ({ ...end, stderr: refusalText(options.host, end.stderr) }))
      void ended.then(release)
      return { ...channel, ended }
    } catch (error) {
      release()
      throw error
    }
  }

  const run = async (script: string, ...args: string[]) =>
    runThere(await openChannel(['sh', '-c', script, 'sh', ...args]))

  return {
    async start(launch) {
      const reached = await run('exit 0')
      if (!reached.ok) throw unreachable(options.host, reached.stderr)
      return placeKey(launch)
    },
    channel: (_ref, command) => openChannel(command),
    async probe(ref): Promise<PlaceState> {
      const found = await run(PROBE, ref)
      if (found.ok) return { state: 'up' }
      if (found.exitCode === 9) return { state: 'gone', why: `its directory on ${options.host} no longer exists` }
      return { state: 'unknown', why: found.stderr }
    },
    async list() {
      const listed = await run(LIST)
      if (!listed.ok) throw unreachable(options.host, listed.stderr)
      return listed.stdout.split('\n').flatMap((line): StartedPlace[] => readPlace(line) ?? [])
    },
    async stop(ref) {
      const stopped = await run(STOP, ref)
      if (!stopped.ok) throw unreachable(options.host, stopped.stderr)
    },
    async check() {
      const result = await run('uname -sm; git --version 2>/dev/null || echo "no git"')
      if (!result.ok) throw unreachable(options.host, result.stderr)
      if (/^no git$/m.test(result.stdout)) {
        throw new AoError('PLACE_FAILED', `git is not installed on ${options.host}`, {
          hint: 'Install git there; with a shell and sha256sum it is all that ao needs',
        })
      }
      return `${target}: ${result.stdout.trim().split('\n').join(', ')}`
    },
  }

  function readPlace(line: string): StartedPlace[] | null {
    const [ref, ...rest] = line.split(' ')
    try {
      const { name: session, spawnId } = JSON.parse(rest.join(' ')) as { name: string; spawnId: string }
      return [{ ref: ref!, name: session, spawnId }]
    } catch {
      // Half a file of a start that was interrupted: nothing runs there.
      return null
    }
  }
}

/** Its sshd allows fewer channels over one connection than are usual. */
const REFUSED = /session open refused|open failed: administratively prohibited/i
const TOO_FEW = 'its sshd allows too few sessions over one connection'

function refusalText(host: string, stderr: string): string {
  return REFUSED.test(stderr)
    ? `${host} refused a session: ${TOO_FEW} (MaxSessions; ao needs 10, which is the default)`
    : stderr
}

function unreachable(host: string, stderr: string, startError?: NodeJS.ErrnoException | null): AoError {
  if (startError) return new AoError('TOOL_MISSING', 'ssh is not on PATH')
  if (stderr.includes(TOO_FEW)) {
    return new AoError('PLACE_FAILED', stderr, {
      hint: `Set \`MaxSessions 10\` or more in the sshd_config of ${host}`,
      details: { host, exitCode: SSH_FAILED },
    })
  }
  const lines = stderr.split('\n').filter((line) => line.trim() !== '' && !/^(?:debug|Warning: Permanently)/.test(line))
  const reason = lines.at(-1)?.trim() ?? 'it gave no reason'
  // Of a client whose shared connection died under it.
  const last = /^Connection closed by UNKNOWN port/.test(reason) ? 'the connection was lost' : reason
  const details = { host, exitCode: SSH_FAILED }
  if (/permission denied/i.test(stderr)) {
    return new AoError('PLACE_UNREACHABLE', `${host} does not accept your key: ${last}`, {
      hint: `ao asks no passwords. Make this work first: ssh -o BatchMode=yes ${host} true`,
      details,
    })
  }
  if (/host key verification failed/i.test(stderr)) {
    return new AoError('PLACE_UNREACHABLE', `The host key of ${host} is unknown or has changed`, {
      hint: `Check it and accept it once by hand: ssh ${host} true`,
      details,
    })
  }
  return new AoError('PLACE_UNREACHABLE', `${host} cannot be reached: ${last}`, {
    hint: `Try it by hand: ssh -o BatchMode=yes ${host} true`,
    details,
  })
}

// A Docker daemon, or Podman's service, of the test's own: private paths, no image from elsewhere, ended afterwards.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { makeRootFilesystem, TEST_IMAGE } from './test-image.ts'

export interface TestEngine {
  /** For `docker --host`. */
  host: string
  image: string
  /** Podman's own command line, with the same images; it needs no service. */
  podman: string
  /** An image with nothing but these files of the usual one. */
  importImage(name: string, files: string[]): void
  /** A command of the engine; its output. */
  run(args: string[]): string
  /** Names of all that exist. */
  containers(): string[]
  removeAll(): void
  /** The engine stops answering; nothing is closed. */
  cut(): void
  mend(): void
  stop(): Promise<void>
}

/** null: the machine allows it. Otherwise why not. */
export function whyNoDocker(kind: 'docker' | 'podman' = 'docker'): string | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'it needs root on Linux'
  for (const program of [kind === 'docker' ? 'dockerd' : 'podman', 'docker', 'busybox', 'git']) {
    if (spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0) return `${program} is not installed`
  }
  return null
}

export async function startEngine(kind: 'docker' | 'podman' = 'docker'): Promise<TestEngine> {
  const directory = mkdtempSync(join(tmpdir(), `aot-${kind}-`))
  const socket = join(directory, 'engine.sock')
  const host = `unix://${socket}`
  const log = openSync(join(directory, 'engine.log'), 'w')
  const { command, env } = kind === 'docker' ? dockerd(directory, host) : podman(directory, host)
  const child = spawn(command[0]!, command.slice(1), { stdio: ['ignore', log, log], env: { ...process.env, ...env } })
  try {
    await untilUp(child, host, directory)
    importImage(host, TEST_IMAGE, ['.'])
  } catch (error) {
    child.kill('SIGTERM')
    throw error
  }
  const run = (args: string[]) => execFileSync('docker', ['--host', host, ...args], { encoding: 'utf8' })
  return {
    host,
    image: kind === 'docker' ? TEST_IMAGE : `docker.io/library/${TEST_IMAGE}`,
    podman: join(directory, 'podman'),
    importImage: (name, files) => importImage(host, name, files),
    run,
    containers: () => run(['ps', '-a', '--format', '{{.Names}}']).split('\n').filter(Boolean),
    removeAll: () => removeAll(host),
    cut: () => void child.kill('SIGSTOP'),
    mend: () => void child.kill('SIGCONT'),
    async stop() {
      child.kill('SIGCONT')
      removeAll(host)
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      await Promise.race([ended, pause(10_000)])
      if (child.exitCode === null) child.kill('SIGKILL')
      // Podman leaves its storage mounted, and memory of containers that were killed.
      const mounts = readFileSync('/proc/mounts', 'utf8')
        .split('\n')
        .flatMap((line) => line.split(' ')[1] ?? [])
      const left = mounts.filter((path) => path.startsWith(`${directory}/`)).toReversed()
      for (const path of left) spawnSync('umount', ['-l', path])
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

function importImage(host: string, name: string, files: string[]): void {
  const root = makeRootFilesystem()
  const script = 'h=$1; n=$2; r=$3; shift 3; tar -C "$r" -c "$@" | docker --host "$h" import - "$n"'
  execFileSync('sh', ['-c', script, 'sh', host, name, root, ...files])
  rmSync(root, { recursive: true, force: true })
}

function removeAll(host: string): void {
  const left = execFileSync('docker', ['--host', host, 'ps', '-aq'], { encoding: 'utf8' }).split('\n').filter(Boolean)
  if (left.length > 0) spawnSync('docker', ['--host', host, 'rm', '-f', ...left])
}

function dockerd(directory: string, host: string) {
  // Root here has no right to raise limits.
  const limits = { 'default-ulimits': { nofile: { Name: 'nofile', Hard: 20_000, Soft: 20_000 } } }
  writeFileSync(join(directory, 'daemon.json'), JSON.stringify(limits))
  const at = (name: string) => join(directory, name)
  const paths = [
    '--config-file',
    at('daemon.json'),
    '--data-root',
    at('data'),
    '--exec-root',
    at('exec'),
    '-p',
    at('pid'),
  ]
  // A bridge of its own would collide with other daemons on the machine; containers here need no network.
  const flags = [...paths, '--bridge', 'none', '--iptables=false', '--ip6tables=false']
  return { command: ['dockerd', ...flags, '-H', host], env: {} }
}

function podman(directory: string, host: string) {
  const conf = join(directory, 'containers.conf')
  writeFileSync(
    conf,
    '[containers]\ndefault_ulimits = ["nofile=20000:20000","nproc=4096:4096"]\n[engine]\nruntime = "runc"\nevents_logger = "file"\n',
  )
  const roots = ['--root', join(directory, 'data'), '--runroot', join(directory, 'run')]
  const script = `#!/bin/sh\nCONTAINERS_CONF='${conf}' exec /usr/bin/podman ${roots.join(' ')} "$@"\n`
  writeFileSync(join(directory, 'podman'), script, { mode: 0o755 })
  return { command: ['podman', ...roots, 'system', 'service', '--time', '0', host], env: { CONTAINERS_CONF: conf } }
}

async function untilUp(child: ChildProcess, host: string, directory: string): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    if (child.exitCode !== null) break
    if (spawnSync('docker', ['--host', host, 'version']).status === 0) return
    await pause(100)
  }
  throw new Error(`the engine did not start:\n${readFileSync(join(directory, 'engine.log'), 'utf8').slice(-2_000)}`)
}

// A channel that is a local program's stdin and stdout, such as `docker exec -i` or `ssh`.
import { startProgram } from '../../../lib/start-program.ts'
import type { Channel } from '../../../slots/place.ts'

const KEPT = 4_000

export function programChannel(command: readonly string[], env: NodeJS.ProcessEnv): Channel {
  const [program = '', ...args] = command
  const child = startProgram(program, args, { env, stdio: ['pipe', 'pipe', 'pipe'] })
  let stderr = ''
  child.stderr.setEncoding('utf8')
  child.stderr.on('data', (chunk: string) => {
    stderr = (stderr + chunk).slice(-KEPT)
  })
  child.stdin.on('error', () => undefined)
  child.on('error', (error) => {
    stderr += `${program} could not be started: ${error.message}`
  })
  const ended = new Promise<{ exitCode: number | null; stderr: string }>((resolve) => {
    child.on('close', (exitCode: number | null) => resolve({ exitCode, stderr }))
  })
  return { stdin: child.stdin, stdout: child.stdout, ended, close: () => void child.kill('SIGKILL') }
}

import { mkdirSync, symlinkSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import type { AghHome } from './agh-home.ts'

/** A home whose socket leads to the daemon and counts its answers, so that a test knows when a command has had one. */
export async function countedHome(agh: AghHome, name: string) {
  const { paths } = agh.context
  const home = join(agh.home, name)
  mkdirSync(home)
  symlinkSync(paths.daemonFile, join(home, 'daemon.json'))
  symlinkSync(join(paths.home, 'sessions'), join(home, 'sessions'))
  let answered = 0
  const server = createServer((client) => {
    const daemon = connect(paths.socket)
    for (const [end, other] of [
      [client, daemon],
      [daemon, client],
    ] as const) {
      end.on('error', () => other.destroy())
      end.pipe(other)
    }
    daemon.once('end', () => answered++)
  })
  await new Promise<void>((resolve) => server.listen(join(home, 'daemon.sock'), resolve))
  return { home, answered: () => answered, close: () => server.close() }
}

// `ao` from our sources, in the process of the test: a twentieth of what starting it costs.
import { PROGRAM } from '../../src/cli/ao/commands.ts'
import type { Io } from '../../src/cli/print/io.ts'
import { run } from '../../src/cli/run.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createFakeIo } from './fake-io.ts'

export async function runHere(
  args: string[],
  place: Pick<Io, 'env' | 'home' | 'cwd'>,
): Promise<{ code: number; stdout: string; stderr: string }> {
  const { io, stdout, stderr } = createFakeIo({ ...place, clock: systemClock })
  const code = await run(PROGRAM.table, args, io, PROGRAM)
  return { code, stdout: stdout(), stderr: stderr() }
}

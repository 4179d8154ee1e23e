// In place of `ao` beside the gh wrapper of a session: writes down each call of gh with its answer, and passes both on.
//   record-gh.mjs <file> <program> <entry> gh …
import { spawnSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const [file, program, entry, ...args] = process.argv.slice(2)
if (args[0] === 'gh') record()
else process.exitCode = spawnSync(program, [entry, ...args], { stdio: 'inherit' }).status ?? 1

/** Through files: Codex's sandbox forbids the sockets that Node's pipes are. */
function record() {
  const scratch = mkdtempSync(join(tmpdir(), 'gh-'))
  const at = (name) => join(scratch, name)
  const takesInput = args.some((word, n) => word === '-' && /^(?:-F|--body-file|--input)$/.test(args[n - 1] ?? ''))
  const input = takesInput ? readFileSync(0, 'utf8') : undefined
  writeFileSync(at('in'), input ?? '')
  const stdio = [takesInput ? openSync(at('in'), 'r') : 'inherit', openSync(at('out'), 'w'), openSync(at('err'), 'w')]
  const { status } = spawnSync(program, [entry, ...args], { stdio })
  const [stdout, stderr] = [readFileSync(at('out'), 'utf8'), readFileSync(at('err'), 'utf8')]
  const isOfInterest = (name) => /^(?:GH_|CLICOLOR|NO_COLOR|PAGER|TERM$|CI$)/.test(name)
  const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => isOfInterest(name)))
  const call = { args: args.slice(1), input, environment, exitCode: status, stdout, stderr }
  appendFileSync(file, `${JSON.stringify(call)}\n`)
  rmSync(scratch, { recursive: true })
  process.stdout.write(stdout)
  process.stderr.write(stderr)
  process.exitCode = status ?? 1
}

// In place of `ao` beside the gh wrapper of a session: writes down each call of gh with its answer, and passes both on.
//   record-gh.mjs <file> <program> <entry> gh …
import { spawnSync } from 'node:child_process'
import { appendFileSync, readFileSync } from 'node:fs'

const [file, program, entry, ...args] = process.argv.slice(2)
const isGh = args[0] === 'gh'
const takesInput = args.some((word, n) => word === '-' && /^(?:-F|--body-file|--input)$/.test(args[n - 1] ?? ''))
const input = takesInput ? readFileSync(0, 'utf8') : undefined
const done = spawnSync(program, [entry, ...args], {
  encoding: 'utf8',
  stdio: [takesInput ? 'pipe' : 'inherit', isGh ? 'pipe' : 'inherit', isGh ? 'pipe' : 'inherit'],
  input,
  maxBuffer: 64 * 1024 * 1024,
})
if (isGh) {
  const { stdout, stderr, status } = done
  const environment = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => /^(?:GH_|CLICOLOR|NO_COLOR|PAGER|TERM$|CI$)/.test(name)),
  )
  appendFileSync(
    file,
    `${JSON.stringify({ args: args.slice(1), input, environment, exitCode: status, stdout, stderr })}\n`,
  )
  process.stdout.write(stdout)
  process.stderr.write(stderr)
}
process.exitCode = done.status ?? 1

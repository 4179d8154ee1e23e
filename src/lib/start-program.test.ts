import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createTempHome, type TempHome } from '../../test/support/temp-home.ts'
import { startProgram } from './start-program.ts'

let temp: TempHome
beforeEach(() => {
  temp = createTempHome()
})
afterEach(async () => {
  expect(await temp.cleanup()).toEqual([])
})

const EXEC = new URL('./exec.ts', import.meta.url).href
const START = new URL('./start-program.ts', import.meta.url).href

/** Runs a program of ours that has this many file descriptors left, and returns what it answers. */
async function withDescriptors(free: number, body: string): Promise<unknown> {
  const file = join(temp.home, 'program.mts')
  writeFileSync(
    file,
    `import { once } from 'node:events'
    import { closeSync, openSync } from 'node:fs'
    import { exec } from ${JSON.stringify(EXEC)}
    import { startProgram } from ${JSON.stringify(START)}
    process.stdout.write('')
    await exec('true', [])
    const taken = []
    try { for (;;) taken.push(openSync('/dev/null')) } catch {}
    for (const fd of taken.slice(0, ${free})) closeSync(fd)
    const result = await (async () => { ${body} })()
    process.stdout.write(JSON.stringify(result))`,
  )
  const child = spawn('sh', ['-c', 'ulimit -n 100; exec "$@"', 'sh', process.execPath, file], { env: temp.env })
  child.stderr.pipe(process.stderr)
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  await once(child, 'close')
  return JSON.parse(Buffer.concat(chunks).toString())
}

it.each([0, 1, 2, 3, 4, 5, 6])(
  'is an ordinary result of exec that nothing can be started, with %d descriptors',
  async (free) => {
    const result = await withDescriptors(
      free,
      `const { ok, startError, stdout } = await exec('echo', ['hello'])
    return { ok, code: startError?.code ?? null, stdout }`,
    )
    expect([
      { ok: false, code: 'EMFILE', stdout: '' },
      { ok: true, code: null, stdout: 'hello\n' },
    ]).toContainEqual(result)
  },
)

it('gives every stream that was asked for, and says error and close', async () => {
  const result = await withDescriptors(
    0,
    `
    const child = startProgram('cat', [], { stdio: ['pipe', 'pipe', 'pipe', 'pipe', 'ignore'] })
    const closed = once(child, 'close').catch((error) => [error.code])
    const said = new Promise((resolve) => child.once('error', (error) => resolve(error.code)))
    child.stdin.end('text')
    child.stdio[3].end('text')
    let text = ''
    for (const stream of [child.stdout, child.stderr, child.stdio[3]]) for await (const chunk of stream) text += chunk
    return { code: await said, closed: (await closed).length > 0, text, last: child.stdio[4], pid: child.pid ?? null }`,
  )
  expect(result).toEqual({ code: 'EMFILE', closed: true, text: '', last: null, pid: null })
})

it('says what node would throw as an error too', async () => {
  const { startProgram } = await import('./start-program.ts')
  const child = startProgram('echo', ['a\0b'])
  const [error] = await once(child, 'error')
  expect(error).toMatchObject({ code: 'ERR_INVALID_ARG_VALUE' })
  await once(child, 'close')
})

it('reports output that cannot be read, instead of ending this process', async () => {
  const child = startProgram('sleep', ['60'], { env: temp.env, stdio: ['ignore', 'pipe', 'pipe'] })
  const reported = once(child, 'error')
  child.stdout?.destroy(new Error('read EIO'))
  expect((await reported)[0]).toMatchObject({ message: 'read EIO' })
  child.kill('SIGKILL')
  await once(child, 'close')
})

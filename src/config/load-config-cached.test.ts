// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders are the subject
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTempHome, type TempHome } from '../../test/support/temp-home.ts'
import { loadConfig } from './load-config.ts'
import { type CachedLocation, loadConfigCached } from './load-config-cached.ts'

let temp: TempHome
let path: string
beforeEach(() => {
  temp = createTempHome()
  delete temp.env.AO_PORT
  path = join(temp.home, 'agent-orchestrator.yaml')
})
afterEach(async () => {
  expect(await temp.cleanup()).toEqual([])
})

const FILE = 'projects:\n  app:\n    path: .\n    agentConfig: { env: { TOKEN: "${TOKEN}" } }\n'
const location = (): CachedLocation => ({
  path,
  home: temp.home,
  env: { ...temp.env, TOKEN: 'hunter2-secret' },
  version: '1.0.0',
})
const cacheDirectory = () => join(temp.home, '.cache', 'agent-orchestrator')
const cacheFiles = () => readdirSync(cacheDirectory()).map((name) => join(cacheDirectory(), name))

/** A hit leaves the entry unchanged; a miss rewrites it. */
async function isHit(): Promise<boolean> {
  const [file] = cacheFiles()
  const before = statSync(file!, { bigint: true }).mtimeNs
  await loadConfigCached(location())
  return statSync(file!, { bigint: true }).mtimeNs === before
}

describe('loadConfigCached', () => {
  it('gives the same as loadConfig, on a miss and on a hit', async () => {
    writeFileSync(path, FILE)
    const direct = loadConfig(location())
    expect(await loadConfigCached(location())).toEqual(direct)
    expect(await isHit()).toBe(true)
    expect(await loadConfigCached(location())).toEqual(direct)
  })

  it('writes one private entry that holds no value of a variable', async () => {
    writeFileSync(path, FILE)
    await loadConfigCached(location())
    expect(cacheFiles()).toHaveLength(1)
    const [file] = cacheFiles()
    expect(statSync(file!).mode & 0o777).toBe(0o600)
    expect(readFileSync(file!, 'utf8')).toContain('${TOKEN}')
    expect(readFileSync(file!, 'utf8')).not.toContain('hunter2')
  })

  it('takes variables from the environment of each call', async () => {
    writeFileSync(path, FILE)
    await loadConfigCached(location())
    const config = await loadConfigCached({ ...location(), env: { ...temp.env, TOKEN: 'other' } })
    expect(config.projects.app?.agentConfig?.env).toEqual({ TOKEN: 'other' })
  })

  it('names the line of a missing variable on a hit too', async () => {
    writeFileSync(path, FILE)
    await loadConfigCached(location())
    await expect(loadConfigCached({ ...location(), env: temp.env })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      details: { problems: [{ key: 'projects.app.agentConfig.env.TOKEN', line: 4, column: 27 }] },
    })
  })

  it('sees a change that keeps size and time', async () => {
    writeFileSync(path, 'port: 3001\nprojects: {}\n')
    await loadConfigCached(location())
    const { atime, mtime } = statSync(path)
    writeFileSync(path, 'port: 3002\nprojects: {}\n')
    utimesSync(path, atime, mtime)
    expect((await loadConfigCached(location())).port).toBe(3002)
    expect(cacheFiles()).toHaveLength(1)
  })

  it('is a miss for another version of ao, and none at all without one', async () => {
    writeFileSync(path, FILE)
    await loadConfigCached({ ...location(), version: '0.9.0' })
    expect(await isHit()).toBe(false)
    expect(await isHit()).toBe(true)
    rmSync(cacheDirectory(), { recursive: true })
    await loadConfigCached({ ...location(), version: null })
    expect(() => cacheFiles()).toThrow('ENOENT')
  })

  it.each([
    ['cut off', (entry: string) => entry.slice(0, entry.length / 2)],
    ['empty', () => ''],
    ['not text', () => '\0\xff\n\0'],
    ['changed in one letter', (entry: string) => entry.replace('"port":3000', '"port":3009')],
    ['without a seal', (entry: string) => entry.slice(entry.indexOf('\n') + 1)],
  ])('does not care about an entry that is %s', async (_how, damage) => {
    writeFileSync(path, FILE)
    const direct = await loadConfigCached(location())
    const [file] = cacheFiles()
    writeFileSync(file!, damage(readFileSync(file!, 'utf8')))
    expect(await loadConfigCached(location())).toEqual(direct)
    expect(await isHit()).toBe(true)
  })

  it('does not care about a cache that cannot be written', async () => {
    mkdirSync(join(temp.home, '.cache'))
    writeFileSync(cacheDirectory(), 'a file where the directory should be')
    writeFileSync(path, FILE)
    expect((await loadConfigCached(location())).projects.app?.id).toBe('app')
  })

  it('gives every one of many at once a right answer while the file changes', async () => {
    const run = async (port: number) => {
      writeFileSync(path, `port: ${port}\nprojects: {}\n`)
      const seen = await loadConfigCached(location())
      expect(seen.port).toBeGreaterThanOrEqual(4000)
    }
    await Promise.all(Array.from({ length: 30 }, (_, index) => run(4000 + index)))
    expect((await loadConfigCached(location())).port).toBe(4029)
    expect(readdirSync(cacheDirectory()).filter((name) => name.endsWith('.tmp'))).toEqual([])
  })

  it('does not write an invalid file into the cache', async () => {
    writeFileSync(path, 'port: high\n')
    await expect(loadConfigCached(location())).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
    expect(() => cacheFiles()).toThrow('ENOENT')
  })
})

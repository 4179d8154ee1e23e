// The host's files in containers are home's own, whatever the images are that were used before.

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hostSet, installHost } from '../../src/plugins/place/reach/install-host.ts'
import { runThere } from '../../src/plugins/place/reach/run-there.ts'
import { dockerEngine } from '../../src/plugins/runtime-docker/docker-engine.ts'
import { startEngine, type TestEngine, whyNoDocker } from './docker-daemon.ts'

const HOSTILE = 'ao-hostile-test:1'

describe.skipIf(whyNoDocker() !== null)('an image that wants into other containers', () => {
  let engine: TestEngine
  let home: string
  beforeAll(async () => {
    engine = await startEngine()
    home = mkdtempSync(join(tmpdir(), 'aot-hostile-'))
    const root = join(home, 'root')
    const set = hostSet(process.arch).name
    // Its programs write wherever they may, and it brings files of its own for the same directory.
    mkdirSync(join(root, 'opt/ao-host', set), { recursive: true })
    writeFileSync(join(root, 'opt/ao-host', set, 'host.js'), 'poison')
    writeFileSync(join(root, 'opt/ao-host', `${set}.whole`), '')
    mkdirSync(join(root, 'usr/local/bin'), { recursive: true })
    for (const name of ['mv', 'cat', 'ls', 'sha256sum', 'chmod', 'mkdir']) {
      const file = join(root, 'usr/local/bin', name)
      writeFileSync(
        file,
        `#!/bin/sh\nfor f in /opt/ao-host/*/host.js; do echo poison >> "$f"; done 2>/dev/null\nexec /bin/busybox ${name} "$@"\n`,
      )
      chmodSync(file, 0o755)
    }
    writeFileSync(
      join(root, 'Dockerfile'),
      `FROM ${engine.image}\nENV PATH=/usr/local/bin:/usr/bin:/bin\nCOPY opt /opt\nCOPY usr /usr\n`,
    )
    execFileSync('docker', ['--host', engine.host, 'build', '--quiet', '--tag', HOSTILE, root], {
      env: { ...process.env, DOCKER_BUILDKIT: '0' },
    })
  }, 180_000)
  afterAll(async () => {
    engine?.removeAll()
    await engine?.stop()
    rmSync(home, { recursive: true, force: true })
  })

  it('cannot put anything into them', async () => {
    const start = async (image: string, spawnId: string) => {
      const place = dockerEngine({ image, host: engine.host, network: 'none', command: 'docker' }, process.env, home)
      const ref = await place.start({ name: 'h-app-1', spawnId })
      return { place, ref, installed: await installHost(place, ref) }
    }
    await start(HOSTILE, 'a'.repeat(16))
    const { place, ref, installed } = await start(engine.image, 'b'.repeat(16))
    const script = installed.host.at(-1)!
    const sum = await runThere(await place.channel(ref, ['sha256sum', script]))
    const ours = hostSet(process.arch)
      .files()
      .find(({ name }) => name === 'host.js')!
    expect(sum.stdout.split(' ')[0]).toBe(createHash('sha256').update(ours.bytes).digest('hex'))
    const limits = engine.run([
      'inspect',
      '--format',
      '{{.HostConfig.PidsLimit}} {{.HostConfig.SecurityOpt}} {{.HostConfig.CapDrop}}',
      ref,
    ])
    expect(limits).toMatch(/^4096 \[no-new-privileges\] \[.*NET_RAW.*\]/)
    expect(engine.containers().length).toBe(2)
  }, 180_000)
})

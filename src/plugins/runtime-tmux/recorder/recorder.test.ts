import { existsSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { useRuntimeWorld } from '../../../../test/contract/runtime-world.ts'
import { waitFor } from '../../../../test/support/wait-for.ts'
import { readRecording } from '../../../store/recording/read-recording.ts'
import { recordingDirectory } from '../../../store/recording/recording-files.ts'
import { renderText } from '../../../store/recording/render-text.ts'
import { plugin } from '../index.ts'
import { listRegistrations, recorderLock } from './registrations.ts'

const file = join(import.meta.dirname, '..', 'index.ts')
const world = useRuntimeWorld({ plugin, file, missingCommand: 'ends', detachKeys: '\u0002d' })

describe('the recorder of tmux sessions', () => {
  it('continues after it was killed, names what it missed, and leaves nothing when the agent has ended', async () => {
    world.temp.env.AO_RECORDING = 'on'
    const launch = world.launchOf(['sh', '-c', 'echo one; read x; echo two; read x; echo three; exit 5'])
    const handle = await world.runtime.create(launch)
    const text = async () => {
      const lines = await renderText(readRecording(recordingDirectory(launch.stateDir)), 1000)
      return lines.join('\n')
    }
    await waitFor('the first output', async () => (await text()).includes('one'))
    const lock = recorderLock(world.temp.home)
    const killed = Number(readlinkSync(lock).split(':')[0])
    process.kill(killed, 'SIGKILL')
    await waitFor('its end', () => !existsSync(`/proc/${killed}`))
    const watch = world.runtime.watch!(() => undefined)
    watch.follow([handle])
    await waitFor('the next one', async () => (await text()).includes('the recorder was not running'))
    await world.runtime.sendMessage(handle, 'go on')
    await waitFor('what follows', async () => (await text()).includes('two'))
    await world.runtime.sendMessage(handle, 'and end')
    await waitFor('the end', async () => (await text()).includes('[ended: exit code 5]'))
    watch.close()
    expect(await text()).toMatch(
      /one[\s\S]*\[not recorded for \d+ s: the recorder was not running\][\s\S]*two[\s\S]*three/,
    )
    await world.runtime.destroy(handle)
    await waitFor('no recorder', () => !existsSync(lock))
    expect(listRegistrations(world.temp.home)).toEqual([])
  })
})

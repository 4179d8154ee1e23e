// Prompts that wait behind a turn can be read, edited and withdrawn; each is sent or withdrawn, never both. A failed turn can be
// repeated once.
import { afterEach, describe, expect, it } from 'vitest'
import {
  cancelPrompt,
  changeQueued,
  promptSession,
  readQueue,
  retryPrompt,
  startRepairs,
  stopSession,
  withdrawQueued,
} from '../../src/agh/runtime.ts'
import { driveSession } from '../../src/agh/session/driver/drive-session.ts'
import { findMessage, takeMessage } from '../../src/agh/session/driver/driver-messages.ts'
import { historyFile } from '../../src/agh/store/meta-file.ts'
import { readWaiting } from '../../src/agh/store/read-log.ts'
import { currentProcess, formatIdentity } from '../../src/lib/process/process-identity.ts'
import { ofType } from '../support/agh-events.ts'
import { waitFor } from '../support/wait-for.ts'
import { AGENT, type AghHome, createAghHome, text } from './agh-home.ts'

let agh: AghHome
const open = () => {
  agh = createAghHome({ agent: 'resume' })
}
afterEach(async () => expect(await agh.cleanup()).toEqual([]))

/** A turn that runs until it is released, and prompts behind it. */
async function queueBehind(id: string, ...prompts: string[]) {
  const running = await promptSession(agh.context, id, 'sleep 60000')
  const later = prompts.map((prompt) => promptSession(agh.context, id, prompt, { queue: true }))
  for (const one of later) one.catch(() => undefined)
  await waitFor('their places', () => readQueue(agh.context, id).length === prompts.length)
  return { running, later, ids: readQueue(agh.context, id).map((one) => one.id) }
}

const cancel = (id: string) => cancelPrompt(agh.context, id)
const sent = async (id: string) => ofType(await agh.events(id), 'user_message').map(({ content }) => content.text)
const onDisk = (id: string) => readWaiting(historyFile(agh.context.paths, id))

describe('the queue of a session', () => {
  it('lists what waits, in order; an edited prompt is sent as edited, a withdrawn one never', async () => {
    open()
    const { id } = await agh.create()
    const { later, ids } = await queueBehind(id, 'say one', 'say two', 'say three')
    expect(readQueue(agh.context, id).map((one) => one.text)).toEqual(['say one', 'say two', 'say three'])
    await withdrawQueued(agh.context, id, ids[0]!)
    // Its sender hears of it at once, not when the running turn ends.
    await expect(later[0]).rejects.toMatchObject({ code: 'MESSAGE_WITHDRAWN' })
    await changeQueued(agh.context, id, ids[1]!, 'say 2')
    expect((await onDisk(id)).map((one) => one.text)).toEqual(['say 2', 'say three'])
    await cancel(id)
    await (await later[2])!.ended
    expect(await sent(id)).toEqual(['sleep 60000', 'say 2', 'say three'])
    expect(text(await agh.events(id))).toContain('2')
    expect(await onDisk(id)).toEqual([])
    expect(readQueue(agh.context, id)).toEqual([])
    const events = await agh.events(id)
    expect(ofType(events, 'prompt_withdrawn').map(({ content }) => content.text)).toEqual(['say one'])
    expect(ofType(events, 'prompt_edited').map(({ content }) => [content.before, content.text])).toEqual([
      ['say two', 'say 2'],
    ])
    await expect(withdrawQueued(agh.context, id, ids[1]!)).rejects.toMatchObject({ code: 'MESSAGE_NOT_WAITING' })
    await stopSession(agh.context, id, null)
  })

  it('withdraws a prompt or sends it, never both, when both are tried at the same moment', async () => {
    open()
    const { id } = await agh.create()
    for (let round = 0; round < 12; round++) {
      const before = (await sent(id)).length
      const { running, later, ids } = await queueBehind(id, `say ${round}`)
      const withdrawal = (async () => {
        for (let step = 0; step < round; step++) await Promise.resolve()
        if (round % 3 === 0) await running.ended
        await withdrawQueued(agh.context, id, ids[0]!)
      })()
      await cancel(id)
      const [outcome, turn] = await Promise.allSettled([withdrawal, later[0]!])
      await running.ended
      if (turn.status === 'fulfilled') await turn.value.ended
      expect([outcome.status, turn.status].sort()).toEqual(['fulfilled', 'rejected'])
      const isSent = (await sent(id)).slice(before).includes(`say ${round}`)
      expect(isSent).toBe(turn.status === 'fulfilled')
    }
    await stopSession(agh.context, id, null)
  })

  it("forgets no withdrawal: the driver's message is not taken again, and the next daemon sends the edited one", async () => {
    open()
    const session = await driveSession(agh.context, {
      driver: 'ao',
      key: 'h-queue-1',
      spawn_id: 'spawn-change-queue',
      owner: formatIdentity(currentProcess()),
      agent_name: 'fake',
      command: [process.execPath, AGENT],
      environment: { HOME: agh.home, PATH: process.env.PATH ?? '', FAKE_ACP: 'resume' },
      workspace_path: agh.workspace,
      permissions: 'approve-reads',
      modes: [],
    })
    const { id } = session.meta
    const message = (message_id: string, wording: string) =>
      takeMessage(agh.context, session, { message: wording, message_id, interrupt: false })
    await message('m1', 'sleep 60000')
    await message('m2', 'say two')
    await message('m3', 'say three')
    await withdrawQueued(agh.context, id, 'm2')
    expect(await findMessage(agh.context, id, 'm2')).toMatchObject({ state: 'withdrawn' })
    expect(await message('m2', 'say two')).toMatchObject({ state: 'withdrawn' })
    await changeQueued(agh.context, id, 'm3', 'say 3')
    const next = agh.restart()
    await startRepairs(next).ready()
    expect(readQueue(next, id).map((one) => one.text)).toEqual(['say 3'])
    await cancel(id)
    await waitFor('its turn', async () => (await sent(id)).includes('say 3'))
    expect(await sent(id)).toEqual(['sleep 60000', 'say 3'])
    await stopSession(next, id, null)
  })
})

describe('a failed turn', () => {
  it('is repeated word for word, linked to the one it repeats, and once', async () => {
    open()
    const { id } = await agh.create()
    await expect(retryPrompt(agh.context, id)).rejects.toThrow('it has had no turn yet')
    const first = await promptSession(agh.context, id, 'fail -32000 the model is overloaded')
    await expect(retryPrompt(agh.context, id)).rejects.toThrow()
    await first.ended
    const both = await Promise.allSettled([retryPrompt(agh.context, id), retryPrompt(agh.context, id)])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    await waitFor('the end of both', async () => ofType(await agh.events(id), 'error').length === 2)
    const requests = ofType(await agh.events(id), 'user_message')
    expect(requests.map(({ content }) => content.text)).toEqual(Array(2).fill('fail -32000 the model is overloaded'))
    expect(requests[1]!.content.retries).toBe(first.turnId)
    await expect(retryPrompt(agh.context, id, first.turnId)).rejects.toThrow('is not its newest turn')
    await (await promptSession(agh.context, id, 'say fine')).ended
    await expect(retryPrompt(agh.context, id)).rejects.toThrow('did not fail')
    await stopSession(agh.context, id, null)
  })
})

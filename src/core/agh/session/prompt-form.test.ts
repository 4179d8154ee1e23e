import { describe, expect, it } from 'vitest'
import type { Attachment, AttachmentType } from '../../../contract/agh/attachment.ts'
import { type AgentAbilities, NO_ABILITIES } from '../transcript/read-abilities.ts'
import { linkedOnly, promptBlock } from './prompt-form.ts'

const file = (type: AttachmentType, size = 10): Attachment => ({ sha256: 'aa', name: 'notes', type, size })
const content = { uri: 'file:///notes', text: () => 'what it says', base64: () => 'd2hhdA==' }
const able = (image: boolean, embeddedContext: boolean): AgentAbilities => ({
  ...NO_ABILITIES,
  prompts: { image, embeddedContext },
})
const LIMIT = 256 * 1024

describe('a file goes along with a prompt', () => {
  const link = (type: AttachmentType, size = 10) => ({
    ...{ type: 'resource_link', uri: 'file:///notes', name: 'notes', mimeType: type, size },
  })
  const text = { type: 'text', text: expect.stringMatching(/the file notes[\s\S]*what it says/) }
  const resource = {
    ...{ type: 'resource', resource: { uri: 'file:///notes', mimeType: 'text/plain', text: 'what it says' } },
  }

  it.each<[string, Attachment, AgentAbilities, unknown]>([
    [
      'a picture as one',
      file('image/png'),
      able(true, false),
      { type: 'image', mimeType: 'image/png', data: 'd2hhdA==' },
    ],
    ['a picture for the blind as a link', file('image/png'), able(false, true), link('image/png')],
    ['a picture for an old bookmark as a link', file('image/png'), NO_ABILITIES, link('image/png')],
    ['text as a file', file('text/plain'), able(false, true), resource],
    ['text as text, marked as what it is', file('text/plain'), able(true, false), text],
    ['text of the longest size as text', file('text/plain', LIMIT), NO_ABILITIES, text],
    ['longer text as a link', file('text/plain', LIMIT + 1), able(true, true), link('text/plain', LIMIT + 1)],
    ['anything else as a link', file('application/pdf'), able(true, true), link('application/pdf')],
  ])('%s', (_what, attachment, abilities, block) => {
    expect(promptBlock(attachment, abilities, content)).toEqual(block)
    const isLink = (block as { type: string }).type === 'resource_link'
    expect(linkedOnly([attachment], abilities)).toEqual(isLink ? [attachment] : [])
  })
})

// In which form an agent gets a file that goes along with a prompt: as content where it takes that, as text where the file is short
// text, otherwise as a link, which every agent of the protocol takes.
import { type Attachment, isPicture } from '../../../contract/agh/attachment.ts'
import { fenceUntrusted } from '../../prompt/fence-untrusted.ts'
import type { AgentAbilities } from '../transcript/read-abilities.ts'

export type PromptForm = 'image' | 'resource' | 'text' | 'link'

/** Longer text is not put into a prompt: the agent reads as much of the file as it wants. */
const MAX_TEXT_BYTES = 256 * 1024

function formOf({ type, size }: Attachment, { prompts }: AgentAbilities): PromptForm {
  if (isPicture({ type })) return prompts?.image ? 'image' : 'link'
  if (type !== 'text/plain' || size > MAX_TEXT_BYTES) return 'link'
  return prompts?.embeddedContext ? 'resource' : 'text'
}

/** Those of which the agent cannot have the content in its prompt. */
export function linkedOnly(attachments: readonly Attachment[], abilities: AgentAbilities): Attachment[] {
  return attachments.filter((one) => formOf(one, abilities) === 'link')
}

interface FileContent {
  uri: string
  text(): string
  base64(): string
}

/** A content block of ACP. */
export function promptBlock(attachment: Attachment, abilities: AgentAbilities, content: FileContent) {
  const { name, type: mimeType, size } = attachment
  const { uri } = content
  switch (formOf(attachment, abilities)) {
    case 'image':
      return { type: 'image' as const, mimeType, data: content.base64() }
    case 'resource':
      return { type: 'resource' as const, resource: { uri, mimeType, text: content.text() } }
    case 'text':
      return { type: 'text' as const, text: fenceUntrusted(content.text(), `the file ${name}`) }
    case 'link':
      return { type: 'resource_link' as const, uri, name, mimeType, size }
  }
}

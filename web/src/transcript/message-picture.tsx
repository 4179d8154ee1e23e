// A picture that an agent or one of its tools sent along.
import type { ImageRef } from '../../../src/contract/agh/transcript.ts'
import { pathOf } from '../api/client.ts'
import { Picture } from '../ui/picture.tsx'

interface Props {
  sessionId: string
  image: ImageRef
  name?: string | null
}

export function MessagePicture({ sessionId, image, name }: Props) {
  const params = { id: sessionId, sequence: String(image.sequence), index: String(image.index) }
  const src = pathOf('GET /api/sessions/:id/messages/images/:sequence/:index', { params })
  return <Picture src={src} alt={name ?? 'Picture from the agent'} />
}

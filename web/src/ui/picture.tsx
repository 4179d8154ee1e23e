// A picture from an agent or a repository. It is only ever the source of an image element: nothing in it can run.
import { useState } from 'react'

interface Props {
  src: string
  alt: string
  className?: string
}

export function Picture({ src, alt, className = '' }: Props) {
  const [failed, setFailed] = useState<string | null>(null)
  if (failed === src) return <p className="text-xs text-muted">The picture cannot be shown.</p>
  return (
    <img
      src={src}
      alt={alt}
      loading="lazy"
      decoding="async"
      onError={() => setFailed(src)}
      className={`max-h-96 max-w-full rounded border bg-[repeating-conic-gradient(var(--sunken)_0_25%,transparent_0_50%)] bg-[length:16px_16px] object-contain ${className}`}
    />
  )
}

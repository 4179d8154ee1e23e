// A QR code as rows of 0 and 1, without its quiet zone: the page and the terminal draw it each in their own way.

export async function drawQrCode(text: string): Promise<string[]> {
  const { default: encodeQR } = await import('qr')
  // The library draws at least one light module around it.
  const modules = encodeQR(text, 'raw', { ecc: 'low', border: 1 }).slice(1, -1)
  return modules.map((row) =>
    row
      .slice(1, -1)
      .map((isDark) => (isDark ? '1' : '0'))
      .join(''),
  )
}

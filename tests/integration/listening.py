"""A recogniser for tests of sound: it hears the port right unless it is noisy, be it in the samples or in the file."""

HEAR = """
import numpy
import soundfile


def hear(utterance):
    file, _ = soundfile.read(utterance.path)
    assert numpy.allclose(file, utterance.audio.samples, atol=1e-4), "file and samples are the same sound"
    spectrum = numpy.abs(numpy.fft.rfft(utterance.audio.samples))
    noisy = numpy.median(spectrum) > spectrum.max() / 1000
    if utterance.task.endswith("set-port"):
        return f"Set the port to {'8081' if noisy else '8080'} and restart nginx."
    return "Copy report_final.docx to /srv/archive and do not overwrite anything."
"""

"""Liveness: says that the web answers, touching neither database nor upstream."""

from django.http import HttpRequest, JsonResponse


async def healthz(request: HttpRequest) -> JsonResponse:
    return JsonResponse({"status": "ok", "service": "streamscope"}, headers={"Cache-Control": "no-store"})

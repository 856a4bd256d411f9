// Collects what a VTK object complains about, instead of letting it print. Private to io.
#pragma once

#include <string>

#include <vtkCallbackCommand.h>
#include <vtkCommand.h>
#include <vtkNew.h>
#include <vtkObject.h>

namespace ritz {

class VtkErrors {
 public:
  explicit VtkErrors(vtkObject* object) : object_(object) {
    callback_->SetClientData(this);
    callback_->SetCallback([](vtkObject*, unsigned long, void* self, void* text) {
      static_cast<VtkErrors*>(self)->add(static_cast<const char*>(text));
    });
    tag_ = object_->AddObserver(vtkCommand::ErrorEvent, callback_);
  }
  ~VtkErrors() { object_->RemoveObserver(tag_); }
  VtkErrors(const VtkErrors&) = delete;
  VtkErrors& operator=(const VtkErrors&) = delete;
  const std::string& text() const { return text_; }
  void watch(vtkObject* other) { other->AddObserver(vtkCommand::ErrorEvent, callback_); }

 private:
  // VTK's text is "ERROR: In file.cxx, line 12\nvtkClass (0x...): the message\n\n": keep the message.
  void add(const char* text) {
    std::string message = text != nullptr ? text : "";
    if (const std::size_t colon = message.find("): "); colon != std::string::npos) message.erase(0, colon + 3);
    while (!message.empty() && (message.back() == '\n' || message.back() == ' ')) message.pop_back();
    if (!text_.empty()) text_ += "; ";
    text_ += message;
  }

  vtkObject* object_;
  vtkNew<vtkCallbackCommand> callback_;
  unsigned long tag_ = 0;
  std::string text_;
};

}  // namespace ritz
